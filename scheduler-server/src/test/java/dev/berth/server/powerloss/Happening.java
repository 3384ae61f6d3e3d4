package dev.berth.server.powerloss;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One thing that was done to the files.
 *
 * @param kind as {@code recorder.c} has it
 * @param other the second path of a call that has two
 */
record Happening(char kind, long inode, long offset, String path, String other, ByteBuffer data) {

    static List<Happening> read(Path record) throws IOException {
        List<Happening> all = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(Files.newInputStream(record)))) {
            for (int kind = in.read(); kind >= 0; kind = in.read()) {
                long inode = number(in);
                long offset = number(in);
                int path = (int) number(in);
                int other = (int) number(in);
                int data = (int) number(in);
                all.add(new Happening(
                        (char) kind,
                        inode,
                        offset,
                        text(in, path),
                        text(in, other),
                        ByteBuffer.wrap(in.readNBytes(data))));
            }
        }
        return all;
    }

    /** The recorder writes as the machine does, which is the little end first. */
    private static long number(DataInputStream in) throws IOException {
        return Long.reverseBytes(in.readLong());
    }

    private static String text(DataInputStream in, int length) throws IOException {
        return new String(in.readNBytes(length), StandardCharsets.UTF_8);
    }
}
