package dev.berth.server.http.route;

import dev.berth.core.api.LinkRequest;
import dev.berth.core.api.LinkView;
import dev.berth.core.api.SessionRequest;
import dev.berth.core.api.SessionView;
import dev.berth.core.api.StartedSession;
import dev.berth.server.http.access.Access;
import dev.berth.server.http.access.Authentication;
import dev.berth.server.http.access.Links;
import dev.berth.server.http.access.Logins;
import dev.berth.server.http.access.Logins.Start;
import dev.berth.server.http.access.SessionCookie;
import dev.berth.server.http.access.SessionSecret;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Caller;
import dev.berth.server.http.exchange.Caller.Scope;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Json;
import dev.berth.server.http.exchange.PrintableText;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.linux.HostName;
import dev.berth.server.store.Token;
import java.io.IOException;
import java.net.InetAddress;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** {@code /links} and {@code /session}: how a browser comes to act as somebody, and how that ends. */
final class SessionResource {
    static final int MAX_A_USER = 20;
    private static final Duration LIFE = Duration.ofDays(7);
    private static final int MAX_BROWSER = 120;

    private final SecureRandom random = new SecureRandom();
    private final ApiParts parts;
    private final Logins logins;
    private final SessionCookie cookie;
    private final Access access;
    private final String machine = HostName.ofThisMachine().orElse("");

    SessionResource(ApiParts parts, Logins logins, SessionCookie cookie, Access access) {
        this.parts = parts;
        this.logins = logins;
        this.cookie = cookie;
        this.access = access;
    }

    void addTo(Router router) {
        router.add("POST", "/api/v1/links", (exchange, caller, _) -> link(exchange, caller));
        router.addOpen("POST", "/api/v1/session", this::begin);
        router.add(
                "GET", "/api/v1/session", (exchange, caller, _) -> Json.answer(exchange, 200, view(exchange, caller)));
        router.add("POST", "/api/v1/session/end", (exchange, _, _) -> end(exchange));
    }

    private void link(Exchange exchange, Caller caller) throws IOException {
        if (!caller.maySubmit()) {
            throw ApiException.of(
                    403,
                    "SCOPE",
                    "a token of scope read makes no links; give the page that token where it asks for one");
        }
        String job = Json.read(exchange.body(), LinkRequest.class).job();
        String page = job == null
                ? "/"
                : "/jobs/" + inPath(access.job(caller, Map.of("id", job)).number());
        Instant end = parts.clock().instant().plus(Links.LIFE);
        Json.answer(
                exchange,
                201,
                new LinkView(page + "#link=" + logins.links().make(caller, exchange.token()), end.toString()));
    }

    /** The number of a pack has characters that a path has not. */
    private static String inPath(String number) {
        return number.replace("[", "%5B").replace("]", "%5D").replace(",", "%2C");
    }

    private void begin(Exchange exchange) throws IOException, InterruptedException {
        InetAddress from = exchange.from()
                .orElseThrow(() -> ApiException.of(
                        400,
                        "SESSION_NOT_TAKEN",
                        "at the Unix socket the kernel says who you are; sessions are for the page over TCP"));
        Start start = start(Json.read(exchange.body(), SessionRequest.class), from);
        // As the database keeps it.
        Instant now = parts.clock().instant().truncatedTo(ChronoUnit.MICROS);
        Token maker = start.maker();
        Instant last = maker == null ? null : maker.expiresAt();
        Instant end = last != null && last.isBefore(now.plus(LIFE)) ? last : now.plus(LIFE);
        SessionSecret secret = SessionSecret.fresh(random);
        Token session = new Token(
                secret.id(),
                "page",
                secret.hash(),
                start.uid(),
                start.user(),
                start.scope().name(),
                now,
                end,
                null,
                browser(exchange),
                maker == null ? null : maker.id());
        Authentication caller = logins.caller(session);
        AtomicBoolean kept = new AtomicBoolean();
        JobsResource.await(parts.scheduling().write(store -> kept.set(store.keepToken(session, MAX_A_USER))));
        if (!kept.get()) {
            throw ApiException.of(
                    401, "TOKEN_REVOKED", "the token of this login was revoked meanwhile; nothing was begun");
        }
        exchange.answerHeader("Set-Cookie", cookie.begun(secret, Duration.between(now, end)));
        Json.answer(
                exchange,
                201,
                new StartedSession(secret.key(), view(caller.caller().orElseThrow(), Optional.of(session))));
    }

    private Start start(SessionRequest request, InetAddress from) throws InterruptedException {
        String link = request.link();
        String token = request.token();
        if (link != null && token == null) {
            return logins.ofLink(link, from);
        }
        if (token != null && link == null) {
            return logins.ofToken(token, from);
        }
        throw ApiException.badRequest("a session begins with a link or with a token: give one of the two");
    }

    private static String browser(Exchange exchange) {
        String said = PrintableText.of(exchange.header("User-Agent").orElse("").strip());
        return said.length() > MAX_BROWSER ? said.substring(0, MAX_BROWSER) + "..." : said;
    }

    private SessionView view(Exchange exchange, Caller caller) {
        return view(caller, exchange.token());
    }

    private SessionView view(Caller caller, Optional<Token> token) {
        Scope scope = caller.isAnybody() ? Scope.READ : caller.scope();
        return new SessionView(
                caller.isAnybody() ? null : caller.name(),
                TokensResource.lower(caller.role().name()),
                TokensResource.lower(scope.name()),
                token.map(Token::expiresAt).map(Instant::toString).orElse(null),
                machine,
                parts.facts().version());
    }

    private void end(Exchange exchange) throws IOException, InterruptedException {
        Token session = exchange.token()
                .filter(token -> token.browser() != null)
                .orElseThrow(() -> ApiException.of(
                        409, "NO_SESSION", "this is no session of the page; a token ends by: berth token revoke ID"));
        Instant now = parts.clock().instant();
        JobsResource.await(parts.scheduling().write(store -> store.revokeToken(session.id(), now)));
        exchange.answerHeader("Set-Cookie", cookie.ended());
        Json.answer(
                exchange,
                200,
                TokensResource.view(parts.queries().token(session.id()).orElse(session)));
    }
}
