package dev.berth.cli.command;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import java.io.IOException;

/** {@code berth token list}: one's own tokens, without their secrets. */
final class Tokens implements Verb {
    @Override
    public Shape shape() {
        return Shape.of("token list", "", "List your tokens: those that live, and those that ended of late.", "")
                .examples("berth token list", "berth token list -q");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        arguments.noWords();
        session.output().tokens(session.client().tokens());
        return ExitCode.OK;
    }
}
