package dev.berth.cli.json;

import dev.berth.core.api.CreatedToken;
import dev.berth.core.api.LinkView;
import dev.berth.core.api.TokenList;
import dev.berth.core.api.TokenView;

/** The API's tokens out of JSON objects, as {@link Views}. */
public final class TokenViews {
    private TokenViews() {}

    public static TokenView token(JsonObject json) {
        return new TokenView(
                json.text("id"),
                json.text("name"),
                json.text("user"),
                json.text("scope"),
                json.text("createdAt"),
                json.textOrNull("expiresAt"),
                json.textOrNull("revokedAt"),
                json.textOrNull("browser"));
    }

    public static TokenList list(JsonObject json) {
        return new TokenList(json.objects("tokens", TokenViews::token));
    }

    public static LinkView link(JsonObject json) {
        return new LinkView(json.text("path"), json.text("expiresAt"));
    }

    public static CreatedToken created(JsonObject json) {
        return new CreatedToken(json.text("secret"), json.object("token").as(TokenViews::token));
    }
}
