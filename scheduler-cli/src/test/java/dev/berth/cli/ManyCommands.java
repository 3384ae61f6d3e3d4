package dev.berth.cli;

import dev.berth.cli.command.Dispatch;
import dev.berth.cli.command.Environment;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs command after command in one process, for tests with hundreds of them: a JVM for each would take minutes. A command comes on
 * standard input as the number of its words and each word; its exit code and what it said go to standard output. Numbers are of 32
 * bits, texts UTF-8 behind their length in bytes.
 */
public final class ManyCommands {
    private ManyCommands() {}

    public static void main(String[] arguments) throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(System.in));
        DataOutputStream out = new DataOutputStream(new BufferedOutputStream(System.out));
        try {
            while (true) {
                Captured captured = new Captured();
                int code = new Dispatch(environment(captured)).run(words(in));
                out.writeInt(code);
                write(out, captured.out());
                write(out, captured.err());
                out.flush();
            }
        } catch (EOFException done) {
            // There are no more.
        }
    }

    private static Environment environment(Captured captured) {
        Environment real = Main.environment();
        return new Environment(
                real.variables(),
                real.home(),
                real.user(),
                real.root(),
                real.version(),
                captured.screen(0),
                real.time(),
                real.nanos(),
                real.pause());
    }

    private static List<String> words(DataInputStream in) throws IOException {
        List<String> words = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            words.add(new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8));
        }
        return words;
    }

    private static void write(DataOutputStream out, String text) throws IOException {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }
}
