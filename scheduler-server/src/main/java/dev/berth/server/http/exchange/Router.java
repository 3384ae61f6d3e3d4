package dev.berth.server.http.exchange;

import dev.berth.server.bounds.UserTurns;
import dev.berth.server.bounds.UserTurns.Turn;
import dev.berth.server.measure.Requests;
import dev.berth.server.store.database.ReadConnections;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The routes: which resource answers which request. */
public final class Router {
    /** Answers a request of a caller who is known. */
    @FunctionalInterface
    public interface Known {
        void handle(Exchange exchange, Caller caller, Map<String, String> variables)
                throws IOException, InterruptedException;
    }

    /** Answers a request of anybody. */
    @FunctionalInterface
    public interface Open {
        void handle(Exchange exchange) throws IOException, InterruptedException;
    }

    /** Answers what is no route with a file, for anybody. */
    @FunctionalInterface
    public interface Files {
        /** Answers; false, and nothing done, where there is no file for it. */
        boolean answer(Exchange exchange) throws IOException;
    }

    /** A method and a path whose parts in braces stand for anything. */
    public record Route(String method, String pattern) {
        public Optional<Map<String, String>> match(String path) {
            String[] wanted = pattern.split("/", -1);
            String[] given = path.split("/", -1);
            if (wanted.length != given.length) {
                return Optional.empty();
            }
            Map<String, String> variables = new LinkedHashMap<>();
            for (int i = 0; i < wanted.length; i++) {
                if (wanted[i].startsWith("{") && !given[i].isEmpty()) {
                    variables.put(wanted[i].substring(1, wanted[i].length() - 1), given[i]);
                } else if (!wanted[i].equals(given[i])) {
                    return Optional.empty();
                }
            }
            return Optional.of(variables);
        }
    }

    /** What the page's files are counted as. */
    private static final String FILES = "page";

    /** What is counted of requests that took no route, or were refused before. */
    public static final String NONE = "none";

    private static final Duration STREAM_AGAIN = Duration.ofSeconds(5);

    /** The number of questions of one user that are worked on at once: the database has few readers. */
    private static final int READS_OF_ONE_USER = 8;

    /**
     * The number of archives of one user that are packed at once: each holds up to three files open for each directory
     * it is in.
     */
    private static final int ARCHIVES_OF_ONE_USER = 4;

    private final UserTurns reads = new UserTurns(READS_OF_ONE_USER);
    private final UserTurns archives = new UserTurns(ARCHIVES_OF_ONE_USER);
    private final UserLimit followers;
    private final Map<Route, Known> routes = new LinkedHashMap<>();
    private final Map<Route, Open> open = new LinkedHashMap<>();
    private final Requests requests = new Requests();
    private Files files = _ -> false;
    private Set<Route> readable = Set.of();

    /**
     * Without routes yet.
     *
     * @param streams how many answers that go on a user may have at once
     */
    public Router(int streams) {
        followers = new UserLimit(streams);
    }

    /** An answer that goes on for as long as there is something to say. */
    public void addStream(String pattern, Known answer) {
        addLong("GET", pattern, (exchange, caller, variables) -> {
            String user = Long.toString(caller.uid());
            if (!followers.take(user)) {
                throw ApiException.tooMuch(
                        429,
                        "TOO_MANY_STREAMS",
                        "you follow " + followers.each()
                                + " jobs already, which is as many as one may; end some, and try" + " again",
                        STREAM_AGAIN);
            }
            try {
                answer.handle(exchange, caller, variables);
            } finally {
                followers.leave(user);
            }
        });
    }

    /**
     * An answer that takes a moment. Of one user's questions so many are answered at once; the others wait for theirs.
     */
    public void add(String method, String pattern, Known answer) {
        addLong(method, pattern, method.equals("GET") ? inTurn(reads, answer) : answer);
    }

    /**
     * An archive, which takes as long as its reader does. Of one user's so many are packed at once; the others wait.
     */
    public void addArchive(String pattern, Known answer) {
        addLong("GET", pattern, inTurn(archives, answer));
    }

    private static Known inTurn(UserTurns turns, Known answer) {
        return (exchange, caller, variables) -> {
            try (Turn _ = turns.take(caller.uid())) {
                answer.handle(exchange, caller, variables);
            }
        };
    }

    /** An answer that takes as long as its reader does. */
    public void addLong(String method, String pattern, Known answer) {
        routes.put(new Route(method, pattern), answer);
    }

    public void addOpen(String method, String pattern, Open answer) {
        open.put(new Route(method, pattern), answer);
    }

    public void addFiles(Files files) {
        this.files = files;
    }

    /** Lets callers without a name read at these routes. */
    public void openToReaders(Set<Route> readable) {
        this.readable = Set.copyOf(readable);
    }

    /** The requests that were answered so far. */
    public Requests requests() {
        return requests;
    }

    /** All routes, for the test that holds the API's description true. */
    public List<Route> routes() {
        List<Route> all = new ArrayList<>(open.keySet());
        all.addAll(routes.keySet());
        return all;
    }

    public void handle(Exchange exchange) throws IOException, InterruptedException {
        for (Map.Entry<Route, Open> entry : open.entrySet()) {
            if (matches(entry.getKey(), exchange).isPresent()) {
                exchange.took(entry.getKey().pattern());
                entry.getValue().handle(exchange);
                return;
            }
        }
        for (Map.Entry<Route, Known> entry : routes.entrySet()) {
            Optional<Map<String, String>> variables = matches(entry.getKey(), exchange);
            if (variables.isPresent()) {
                exchange.took(entry.getKey().pattern());
                Caller caller = known(exchange, entry.getKey());
                try (Turn _ = ReadConnections.askedBy(caller.uid())) {
                    entry.getValue().handle(exchange, caller, variables.get());
                }
                return;
            }
        }
        exchange.took(FILES);
        if (!files.answer(exchange)) {
            exchange.took(NONE);
            throw unmatched(exchange);
        }
    }

    private static Optional<Map<String, String>> matches(Route route, Exchange exchange) {
        return route.method().equals(exchange.method()) ? route.match(exchange.path()) : Optional.empty();
    }

    private Caller known(Exchange exchange, Route route) {
        return exchange.caller()
                .or(() -> reader(route))
                .orElseThrow(() -> exchange.refusal()
                        .orElseGet(() -> ApiException.of(
                                401,
                                "NO_IDENTITY",
                                "over TCP a token says who you are, and there is none; make one on the server's machine with:"
                                        + " berth token create, and name it in BERTH_TOKEN (an API client sends it as"
                                        + " Authorization: Bearer TOKEN)")));
    }

    private Optional<Caller> reader(Route route) {
        return readable.contains(route) ? Optional.of(Caller.ANYBODY) : Optional.empty();
    }

    private ApiException unmatched(Exchange exchange) {
        String methods = routes().stream()
                .filter(route -> route.match(exchange.path()).isPresent())
                .map(Route::method)
                .collect(Collectors.joining(", "));
        if (methods.isEmpty()) {
            return ApiException.of(404, "NO_SUCH_ROUTE", "there is nothing at " + exchange.path());
        }
        exchange.answerHeader("Allow", methods);
        return ApiException.of(
                405, "WRONG_METHOD", exchange.path() + " takes " + methods + ", not " + exchange.method());
    }
}
