package dev.berth.server.http.access;

import dev.berth.server.http.exchange.Caller;
import dev.berth.server.store.Token;
import java.util.Optional;

/**
 * The identity of a request's sender, as far as it is known.
 *
 * @param caller who that is, empty where nobody knows
 * @param token what they showed, empty where it is the kernel who knows them
 */
public record Authentication(Optional<Caller> caller, Optional<Token> token) {
    public static final Authentication NOBODY = new Authentication(Optional.empty(), Optional.empty());
}
