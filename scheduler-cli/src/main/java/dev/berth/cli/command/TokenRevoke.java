package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import java.io.IOException;

/** {@code berth token revoke}: takes tokens back. */
final class TokenRevoke implements Verb {
    private static final int ID_LENGTH = 16;

    @Override
    public Shape shape() {
        return Shape.of("token revoke", "<id>...", "Take tokens back: from now on they open nothing.", "")
                .examples("berth token revoke 0f1e2d3c4b5a6978", "berth token revoke $(berth token list -q)");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        if (arguments.words().isEmpty()) {
            throw Failure.usage("berth token revoke needs the id of a token; berth token list shows them");
        }
        arguments.words().forEach(TokenRevoke::requireId);
        BerthClient client = session.client();
        int code = ExitCode.OK;
        for (String id : arguments.words()) {
            try {
                session.output().tokenRevoked(client.revokeToken(id));
            } catch (Failure refused) {
                session.output().failure(refused);
                code = code == ExitCode.OK ? refused.exitCode() : code;
            }
        }
        return code;
    }

    /** Does not repeat the word: it may be a whole token. */
    private static void requireId(String word) {
        boolean isId = word.length() == ID_LENGTH;
        for (int at = 0; at < word.length() && isId; at++) {
            isId = Character.digit(word.charAt(at), 16) >= 0 && word.charAt(at) < 0x7f;
        }
        if (!isId) {
            throw Failure.usage("that is not the id of a token: " + ID_LENGTH
                    + " letters and digits, the middle part of berth_ID_SECRET; berth token list shows them");
        }
    }
}
