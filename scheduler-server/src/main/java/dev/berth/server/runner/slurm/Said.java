package dev.berth.server.runner.slurm;

import java.nio.charset.StandardCharsets;

/** What a program said until it ended. */
final class Said {
    private final int code;
    private final byte[] output;
    private final String error;

    /**
     * The end of a program.
     *
     * @param code its exit code
     * @param output the bytes of its standard output
     * @param error the first bytes of its standard error
     */
    Said(int code, byte[] output, String error) {
        this.code = code;
        this.output = output;
        this.error = error;
    }

    int code() {
        return code;
    }

    byte[] output() {
        return output;
    }

    String error() {
        return error;
    }

    boolean isWell() {
        return code == 0;
    }

    String text() {
        return new String(output, StandardCharsets.UTF_8);
    }
}
