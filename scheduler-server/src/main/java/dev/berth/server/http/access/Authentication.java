package dev.berth.server.http.access;

import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.store.Token;
import java.util.Optional;

/**
 * The identity of a request's sender, as far as it is known.
 *
 * @param caller who that is, empty where nobody knows
 * @param token what they showed, empty where it is the kernel who knows them
 * @param refusal why what they showed does not count, for what needs an identity; empty where they showed nothing
 */
public record Authentication(Optional<Caller> caller, Optional<Token> token, Optional<ApiException> refusal) {
    public static final Authentication NOBODY =
            new Authentication(Optional.empty(), Optional.empty(), Optional.empty());

    static Authentication of(Caller caller) {
        return new Authentication(Optional.of(caller), Optional.empty(), Optional.empty());
    }

    static Authentication of(Caller caller, Token token) {
        return new Authentication(Optional.of(caller), Optional.of(token), Optional.empty());
    }

    static Authentication refused(ApiException refusal) {
        return new Authentication(Optional.empty(), Optional.empty(), Optional.of(refusal));
    }
}
