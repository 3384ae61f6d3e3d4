package dev.berth.server.http.route;

import dev.berth.core.api.CreatedToken;
import dev.berth.core.api.TokenList;
import dev.berth.core.api.TokenRequest;
import dev.berth.core.api.TokenView;
import dev.berth.server.http.access.TokenSecret;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Caller.Role;
import dev.berth.server.http.exchange.Caller.Scope;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.http.submit.Labels;
import dev.berth.server.linux.Users;
import dev.berth.server.loop.Scheduling;
import dev.berth.server.store.JobQueries;
import dev.berth.server.store.Token;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** {@code /tokens}: make, list, revoke. A token is its maker's, and can do no more than its maker. */
public final class TokensResource {
    public static final int MAX_A_USER = 100;
    private static final Duration DEFAULT_LIFE = Duration.ofDays(30);
    private static final Duration MAX_LIFE = Duration.ofDays(366);

    private final SecureRandom random = new SecureRandom();
    private final Scheduling scheduling;
    private final JobQueries queries;
    private final Users users;
    private final InstantSource clock;

    TokensResource(Scheduling scheduling, JobQueries queries, Users users, InstantSource clock) {
        this.scheduling = scheduling;
        this.queries = queries;
        this.users = users;
        this.clock = clock;
    }

    void addTo(Router router) {
        router.add("POST", "/api/v1/tokens", (exchange, caller, _) -> create(exchange, caller));
        router.add("GET", "/api/v1/tokens", (exchange, caller, _) -> list(exchange, caller));
        router.add("POST", "/api/v1/tokens/{id}/revoke", this::revoke);
    }

    private void create(Exchange exchange, Caller caller) throws IOException, InterruptedException {
        TokenRequest request = Json.read(exchange.body(), TokenRequest.class);
        Instant now = clock.instant();
        Scope scope = scope(request.scope(), caller);
        Instant end = end(request, now);
        requireNoLongerLife(end, exchange.token());
        TokenSecret secret = TokenSecret.fresh(random);
        Token token = new Token(
                secret.id(),
                Labels.checked("name", request.name(), "token"),
                secret.hash(),
                caller.uid(),
                caller.name(),
                scope.name(),
                now,
                end,
                null,
                null,
                exchange.token().map(Token::id).orElse(null));
        AtomicBoolean kept = new AtomicBoolean();
        JobsResource.await(scheduling.write(store -> kept.set(store.keepToken(token, MAX_A_USER))));
        if (!kept.get()) {
            requireAlive(exchange.token());
            throw ApiException.of(
                    409,
                    "TOO_MANY_TOKENS",
                    "you have " + MAX_A_USER + " tokens; revoke some first: berth token list, berth token revoke ID");
        }
        Json.answer(exchange, 201, new CreatedToken(secret.text(), view(token)));
    }

    private static Scope scope(@Nullable String name, Caller caller) {
        Scope scope = named(name == null ? "submit" : name);
        if (!caller.maySubmit()) {
            throw ApiException.of(403, "SCOPE", "a token of scope read makes no tokens");
        }
        if (scope.compareTo(caller.scope()) > 0) {
            throw ApiException.of(
                    403,
                    "SCOPE",
                    "a token makes no token that may more than itself: this one has scope "
                            + lower(caller.scope().name()) + ", asked was " + lower(scope.name()));
        }
        if (scope == Scope.ADMIN && caller.role() != Role.ADMINISTRATOR) {
            throw ApiException.of(
                    403, "SCOPE", "tokens of scope admin are for administrators; leave --scope out, or take submit");
        }
        return scope;
    }

    private static Scope named(String name) {
        return Arrays.stream(Scope.values())
                .filter(scope -> lower(scope.name()).equals(name))
                .findFirst()
                .orElseThrow(() -> ApiException.field("scope", name, "must be read, submit or admin"));
    }

    private static @Nullable Instant end(TokenRequest request, Instant now) {
        Long seconds = request.expiresInSeconds();
        if (Boolean.TRUE.equals(request.neverExpires())) {
            if (seconds != null) {
                throw ApiException.field(
                        "expiresInSeconds", seconds.toString(), "and neverExpires exclude each other; give one");
            }
            return null;
        }
        if (seconds == null) {
            return now.plus(DEFAULT_LIFE);
        }
        if (seconds < 1 || seconds > MAX_LIFE.toSeconds()) {
            throw ApiException.field(
                    "expiresInSeconds",
                    seconds.toString(),
                    "must be from 1 to " + MAX_LIFE.toSeconds() + " (366 days); for longer, say that it never expires");
        }
        return now.plusSeconds(seconds);
    }

    /**
     * Refuses an end that lies behind that of the token which makes the new one: a stolen token could go on for ever.
     */
    private static void requireNoLongerLife(@Nullable Instant end, Optional<Token> maker) {
        Instant last = maker.map(Token::expiresAt).orElse(null);
        if (last != null && (end == null || end.isAfter(last))) {
            throw ApiException.of(
                    403,
                    "TOKEN_OUTLIVES",
                    "a token makes no token that outlives it: this one ends at " + last
                            + "; take an earlier end (--expires), or make it on the server's machine");
        }
    }

    /** Refuses the maker of a token that was revoked meanwhile: it has made none. */
    private void requireAlive(Optional<Token> maker) {
        boolean revoked = maker.flatMap(token -> queries.token(token.id()))
                .filter(token -> token.revokedAt() == null)
                .isEmpty();
        if (maker.isPresent() && revoked) {
            throw ApiException.of(401, "TOKEN_REVOKED", "this token was revoked meanwhile; nothing was made");
        }
    }

    private void list(Exchange exchange, Caller caller) throws IOException {
        Optional<String> user = exchange.query("user").filter(name -> !name.equals(caller.name()));
        if (user.isPresent() && !caller.isAdministrator()) {
            throw ApiException.of(
                    403, "NOT_OPERATOR", "only administrators see the tokens of others; you are " + caller.name());
        }
        long uid = user.isEmpty()
                ? caller.uid()
                : users.find(user.get())
                        .orElseThrow(
                                () -> ApiException.field("user", user.get(), "is not in this machine's user database"))
                        .uid();
        List<TokenView> tokens =
                queries.tokens(uid).stream().map(TokensResource::view).toList();
        Json.answer(exchange, 200, new TokenList(tokens));
    }

    private void revoke(Exchange exchange, Caller caller, Map<String, String> in)
            throws IOException, InterruptedException {
        String id = in.getOrDefault("id", "");
        Token token = queries.token(id)
                .filter(found -> found.uid() == caller.uid() || caller.isAdministrator())
                .orElseThrow(() -> ApiException.of(
                        404,
                        "TOKEN_NOT_FOUND",
                        "there is no such token of yours; berth token list shows what there is"));
        boolean itself = exchange.token().filter(own -> own.id().equals(id)).isPresent();
        if (!itself && !caller.maySubmit()) {
            throw ApiException.of(403, "SCOPE", "a token of scope read revokes itself and no other");
        }
        Instant now = clock.instant();
        JobsResource.await(scheduling.write(store -> store.revokeToken(id, now)));
        Json.answer(exchange, 200, view(queries.token(id).orElse(token)));
    }

    static TokenView view(Token token) {
        Instant end = token.expiresAt();
        Instant revoked = token.revokedAt();
        return new TokenView(
                token.id(),
                token.name(),
                token.user(),
                lower(token.scope()),
                token.createdAt().toString(),
                end == null ? null : end.toString(),
                revoked == null ? null : revoked.toString(),
                token.browser());
    }

    static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }
}
