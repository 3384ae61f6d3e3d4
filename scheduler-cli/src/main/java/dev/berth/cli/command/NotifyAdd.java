package dev.berth.cli.command;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.core.api.ReceiverRequest;
import dev.berth.core.option.Forms;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/** {@code berth notify add}: who is told of all one's jobs. */
final class NotifyAdd implements Verb {
    private static final String FILE = "--file";
    private static final int MAX_BYTES = 16 << 10;

    @Override
    public Shape shape() {
        return Shape.of(
                        "notify add",
                        "[moment,...:]<where>",
                        "Have others told of all your jobs from now on: " + Forms.NOTIFY + ". What is in a command line"
                                + " can be seen in the machine's list of processes; --file keeps it from there.",
                        "")
                .value("FILE", "Take it from the first line of a file, which may be /dev/stdin.", FILE)
                .examples(
                        "berth notify add end:https://hooks.slack.com/services/T0/B0/x",
                        "berth notify add fail,end:ntfy:https://ntfy.sh/my-topic",
                        "berth notify add end:cmd:/home/ada/bin/told",
                        "berth notify add --file hook.txt");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        List<String> words = arguments.words();
        String file = arguments.value(FILE);
        if (words.size() + (file == null ? 0 : 1) != 1) {
            throw Failure.usage(
                    "berth notify add needs one receiver, as in: berth notify add end:https://example.org/hook,"
                            + " or --file FILE with it");
        }
        String wish = file == null ? words.getFirst() : firstLine(file);
        session.output().receiver("is added", session.client().addReceiver(new ReceiverRequest(wish)));
        return ExitCode.OK;
    }

    private static String firstLine(String file) {
        try (InputStream in = Files.newInputStream(Path.of(file))) {
            String text = new String(in.readNBytes(MAX_BYTES), StandardCharsets.UTF_8);
            return text.lines().findFirst().orElse("").strip();
        } catch (IOException | InvalidPathException e) {
            throw Failure.usage(FILE + ": " + file + " cannot be read (" + e.getMessage() + ")");
        }
    }
}
