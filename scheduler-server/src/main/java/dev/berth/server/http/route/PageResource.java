package dev.berth.server.http.route;

import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.Exchange;
import dev.berth.server.http.exchange.Router;
import dev.berth.server.http.exchange.Router.Route;
import dev.berth.server.page.PageFile;
import dev.berth.server.page.PageFiles;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The page: its files, and its first one at each address at which the page itself shows something. */
final class PageResource {
    private static final List<Route> SHOWN = List.of(
            new Route("GET", "/"),
            new Route("GET", "/jobs"),
            new Route("GET", "/jobs/{id}"),
            new Route("GET", "/compare"),
            new Route("GET", "/projects"),
            new Route("GET", "/wall"),
            new Route("GET", "/login"));

    private final PageFiles files;

    PageResource(PageFiles files) {
        this.files = files;
    }

    void addTo(Router router) {
        router.addFiles(this::answer);
    }

    private boolean answer(Exchange exchange) throws IOException {
        Optional<PageFile> file = file(exchange.path());
        if (file.isEmpty()) {
            return false;
        }
        if (!exchange.method().equals("GET") && !exchange.method().equals("HEAD")) {
            exchange.answerHeader("Allow", "GET, HEAD");
            throw ApiException.of(405, "WRONG_METHOD", exchange.path() + " takes GET, HEAD, not " + exchange.method());
        }
        answer(exchange, file.get());
        return true;
    }

    private Optional<PageFile> file(String path) {
        return SHOWN.stream().anyMatch(route -> route.match(path).isPresent())
                ? Optional.of(files.first())
                : files.at(path);
    }

    private void answer(Exchange exchange, PageFile file) throws IOException {
        boolean zip = file.gainsByZip()
                && takesGzip(exchange.header("Accept-Encoding").orElse(""));
        exchange.answerHeader("Cache-Control", "no-cache");
        exchange.answerHeader("Content-Security-Policy", files.policy());
        exchange.answerHeader("Cross-Origin-Opener-Policy", "same-origin");
        exchange.answerHeader("Cross-Origin-Resource-Policy", "same-origin");
        exchange.answerHeader("ETag", file.tag(zip));
        exchange.answerHeader("Vary", "Accept-Encoding");
        if (isKnown(exchange.header("If-None-Match").orElse(""), file.tag(zip))) {
            exchange.answer(304, file.type()).close();
            return;
        }
        byte[] bytes = file.bytes(zip);
        if (zip) {
            exchange.answerHeader("Content-Encoding", "gzip");
        }
        exchange.answerHeader("Content-Length", Integer.toString(bytes.length));
        try (OutputStream out = exchange.answer(200, file.type())) {
            out.write(bytes);
        }
    }

    private static boolean takesGzip(String accepted) {
        return Arrays.stream(accepted.split(",", -1))
                .map(coding -> coding.strip().split("\\s*;\\s*", 2))
                .anyMatch(coding -> (coding[0].equalsIgnoreCase("gzip") || coding[0].equals("*"))
                        && (coding.length == 1 || !coding[1].matches("q=0(\\.0*)?")));
    }

    /** Whether the client has what has that tag; of a comparison for GET a weak mark counts for nothing (RFC 9110, 13.1.2). */
    private static boolean isKnown(String tags, String tag) {
        return Arrays.stream(tags.split(",", -1))
                .map(String::strip)
                .map(known -> known.startsWith("W/") ? known.substring(2) : known)
                .anyMatch(known -> known.equals(tag) || known.equals("*"));
    }
}
