package dev.berth.cli.output.text;

import dev.berth.core.api.TokenView;
import java.time.Instant;
import java.util.List;

/** Tokens for people. */
public final class TokenText {
    private TokenText() {}

    public static String created(TokenView token) {
        String end = token.expiresAt();
        return PlainText.of("this is token " + token.id() + " (" + token.name() + ") of " + token.user() + ", scope "
                + token.scope() + ", " + (end == null ? "without an end" : "until " + Times.utc(end))
                + "; it is shown this once. Commands on another machine take it from BERTH_TOKEN, or from a file that"
                + " BERTH_TOKEN_FILE names, and the server's address from BERTH_URL");
    }

    public static Table table(List<TokenView> tokens, Instant now) {
        Table table = new Table("ID", "NAME", "SCOPE", "CREATED", "STATE");
        for (TokenView token : tokens) {
            table.row(token.id(), name(token), token.scope(), Times.utc(token.createdAt()), state(token, now));
        }
        return table;
    }

    /** A session of the page by its browser. */
    private static String name(TokenView token) {
        String browser = token.browser();
        return browser == null ? token.name() : token.name() + (browser.isEmpty() ? "" : ": " + browser);
    }

    private static String state(TokenView token, Instant now) {
        String end = token.expiresAt();
        if (token.revokedAt() != null) {
            return "revoked";
        }
        if (end == null) {
            return "never expires";
        }
        Instant over = Times.instant(end);
        return over.isAfter(now) ? "expires in " + Times.between(now.toString(), over) : "expired";
    }
}
