package dev.berth.cli.jobfile;

import dev.berth.cli.exit.Failure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Text of a file, within bounds. */
final class FileText {
    static final int MAX_BYTES = 1 << 20;

    private static final String BYTE_ORDER_MARK = "\ufeff";

    private FileText() {}

    /**
     * All of a file.
     *
     * @param what its name in a refusal
     */
    static String all(String what, Path path) {
        if (!Files.isRegularFile(path)) {
            throw Failure.usage(what + " " + (Files.exists(path) ? "is not a file" : "is not there")
                    + "; name a file with the options of a job");
        }
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw Failure.usage(what + " has more than " + MAX_BYTES + " bytes, which is no file of a job");
            }
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
        } catch (CharacterCodingException otherText) {
            throw Failure.usage(what + " is not text in UTF-8");
        } catch (IOException unreadable) {
            throw Failure.usage(what + " cannot be read (" + unreadable.getMessage() + ")");
        }
    }

    /** The first lines of a file, whatever they are, without one that goes on; none of a file that cannot be read. */
    static String head(Path path, int bytes) {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] read = in.readNBytes(bytes);
            String text = new String(read, StandardCharsets.UTF_8);
            return read.length < bytes ? text : text.substring(0, text.lastIndexOf('\n') + 1);
        } catch (IOException unreadable) {
            return "";
        }
    }
}
