package dev.berth.cli.command;

import dev.berth.cli.exit.ExitCode;
import java.io.IOException;

/** {@code berth gpus}: the GPUs that the server gives out, and who holds them. */
final class Gpus implements Verb {
    @Override
    public Shape shape() {
        return Shape.of("gpus", "", "List the GPUs that the server gives out, and the jobs that hold them.", "")
                .examples("berth gpus", "berth gpus --json", "berth gpus -q");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        arguments.noWords();
        session.output().gpus(session.client().gpus());
        return ExitCode.OK;
    }
}
