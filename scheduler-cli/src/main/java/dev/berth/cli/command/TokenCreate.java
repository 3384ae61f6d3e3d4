package dev.berth.cli.command;

import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.cli.line.TimeLimit;
import dev.berth.core.api.TokenRequest;
import java.io.IOException;

/** {@code berth token create}: what lets commands in from other machines. */
final class TokenCreate implements Verb {
    private static final String NAME = "--name";
    private static final String SCOPE = "--scope";
    private static final String EXPIRES = "--expires";
    private static final String NEVER = "never";

    @Override
    public Shape shape() {
        return Shape.of(
                        "token create",
                        "",
                        "Make a token. Whoever holds it can use the server over TCP as you, up to its scope. It is"
                                + " printed this once; -q prints it without a remark.",
                        "")
                .value("NAME", "What to call it. Default: token.", NAME)
                .value(
                        "SCOPE",
                        "What it lets through: read (look), submit (submit and cancel too), admin (all that you may, for"
                                + " administrators). Default: submit.",
                        SCOPE)
                .value("TIME", "How long it lives, at most 366d, or never. Default: 30d.", EXPIRES)
                .examples(
                        "berth token create --name laptop",
                        "berth token create --name dashboard --scope read --expires 365d",
                        "export BERTH_TOKEN=$(berth token create -q)");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        arguments.noWords();
        String expires = arguments.value(EXPIRES);
        boolean never = NEVER.equals(expires);
        Long seconds = expires == null || never ? null : Long.valueOf(TimeLimit.seconds(EXPIRES, expires));
        TokenRequest request =
                new TokenRequest(arguments.value(NAME), arguments.value(SCOPE), seconds, never ? Boolean.TRUE : null);
        session.output().tokenCreated(session.client().createToken(request));
        return ExitCode.OK;
    }
}
