package dev.berth.server.runner.slurm;

import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import dev.berth.server.runner.EngineException.Scope;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

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

    /**
     * What follows a line on both streams. Without it the program was not started: then the error is of what should have done that.
     *
     * @throws EngineException where that says that all is well
     */
    Said behind(String mark, String program) {
        int at = new String(output, StandardCharsets.ISO_8859_1).indexOf(mark + "\n");
        if (at < 0) {
            if (isWell()) {
                throw new EngineException(
                        Kind.FAILING,
                        Scope.USER,
                        program + " was not started: the user's login shell has ended before");
            }
            return this;
        }
        int told = error.indexOf(mark + "\n");
        int length = mark.length() + 1;
        return new Said(
                code,
                Arrays.copyOfRange(output, at + length, output.length),
                told < 0 ? "" : error.substring(told + length));
    }

    boolean isWell() {
        return code == 0;
    }

    String text() {
        return new String(output, StandardCharsets.UTF_8);
    }
}
