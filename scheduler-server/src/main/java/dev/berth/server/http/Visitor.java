package dev.berth.server.http;

import dev.berth.server.store.Token;
import java.util.Optional;

/**
 * Whoever sent a request.
 *
 * @param caller who that is, empty where nobody knows
 * @param token what they showed, empty where it is the kernel who knows them
 */
record Visitor(Optional<Caller> caller, Optional<Token> token) {
    static final Visitor NOBODY = new Visitor(Optional.empty(), Optional.empty());
}
