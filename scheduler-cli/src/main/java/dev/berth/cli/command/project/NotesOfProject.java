package dev.berth.cli.command.project;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.WorkingDirectory;
import dev.berth.cli.command.Session;
import dev.berth.cli.command.Verb;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.core.api.NotesRequest;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** {@code berth projects notes}: what its user notes of a project. */
public final class NotesOfProject implements Verb {
    private static final String FILE = "--file";
    private static final int MAX_BYTES = 1 << 16;

    @Override
    public Shape shape() {
        return OfUser.addTo(Shape.of(
                                "projects notes",
                                "<name> [<text>]",
                                "Print the notes of a project, or with a text write them in place of what was there. An empty text"
                                        + " removes them. Up to 64 KiB.",
                                "")
                        .value("FILE", "Take the text from a file; - for standard input.", FILE))
                .examples(
                        "berth projects notes mnist",
                        "berth projects notes mnist 'seed 3 is the one of the paper'",
                        "berth projects notes mnist --file notes.md",
                        "berth projects notes mnist ''");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        List<String> words = OfUser.words(arguments, 1, 2, "the name of a project");
        String file = arguments.value(FILE);
        if (file != null && words.size() > 1) {
            throw Failure.usage("berth projects notes takes a text or " + FILE + ", not both");
        }
        String given = words.size() > 1 ? words.getLast() : null;
        String text = file == null ? given : read(file);
        BerthClient client = session.client();
        String user = OfUser.user(arguments);
        if (text == null) {
            session.output().notes(client.notes(words.getFirst(), user));
        } else {
            session.output().noted(client.note(new NotesRequest(words.getFirst(), user, text)));
        }
        return ExitCode.OK;
    }

    private static String read(String file) {
        try (InputStream in =
                Files.newInputStream(Path.of(WorkingDirectory.checked(FILE, file.equals("-") ? "/dev/stdin" : file)))) {
            byte[] bytes = in.readNBytes(MAX_BYTES + 1);
            if (bytes.length > MAX_BYTES) {
                throw Failure.usage(FILE + ": '" + file + "' has more than the " + MAX_BYTES
                        + " bytes that the notes of a project may have");
            }
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw Failure.usage(FILE + ": '" + file + "' is no text in UTF-8");
        } catch (NoSuchFileException e) {
            throw Failure.usage(FILE + ": '" + file + "' is not there; name a file, or - for standard input");
        } catch (IOException | InvalidPathException e) {
            throw Failure.usage(FILE + ": '" + file + "' cannot be read (" + e.getMessage() + ")");
        }
    }
}
