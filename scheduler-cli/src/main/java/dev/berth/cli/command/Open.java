package dev.berth.cli.command;

import dev.berth.cli.client.BerthClient;
import dev.berth.cli.client.RemoteServer;
import dev.berth.cli.exit.ExitCode;
import dev.berth.cli.exit.Failure;
import dev.berth.cli.launch.Browser;
import dev.berth.cli.line.Arguments;
import dev.berth.cli.line.Shape;
import dev.berth.core.api.LinkView;
import dev.berth.core.api.PageAddress;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code berth open}: the page in a browser, logged in. */
final class Open implements Verb {
    private static final String PRINT = "--print";
    private static final List<String> WILDCARDS = List.of("//0.0.0.0:", "//[::]:", "//[0:0:0:0:0:0:0:0]:");

    @Override
    public Shape shape() {
        return Shape.of(
                        "open",
                        "[<id>]",
                        "Open the page in a browser, logged in as you, and print its address, which is good once and"
                                + " for a minute. With a job: its page.",
                        "")
                .flag("Print the address and open nothing.", PRINT)
                .examples("berth open", "berth open 17", "berth open --print");
    }

    @Override
    public int run(Arguments arguments, Session session) throws IOException {
        BerthClient client = session.client();
        String job = arguments.words().isEmpty() ? null : Long.toString(session.jobId(arguments, client));
        String server = address(session, client);
        LinkView link = link(client, job);
        PageAddress page = new PageAddress(server + link.path(), link.expiresAt());
        session.output().page(page);
        boolean opens = !arguments.has(PRINT) && !arguments.has(Shape.QUIET) && !arguments.has(Shape.JSON);
        if (opens && !Browser.open(session.environment().variables(), page.url())) {
            session.output().notice("no browser was opened here; open the address yourself within a minute");
        }
        return ExitCode.OK;
    }

    /** What a browser calls the server: as this command does, or as it says itself. */
    private static String address(Session session, BerthClient client) throws IOException {
        RemoteServer remote = session.remote();
        String url = remote != null ? remote.url() : client.server().url();
        if (url == null) {
            throw Failure.of(
                    ExitCode.REFUSED,
                    "NO_TCP",
                    "this server does not listen over TCP, where browsers come; see server.port");
        }
        for (String wildcard : WILDCARDS) {
            url = url.replace(wildcard, "//localhost:");
        }
        return url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }

    private static LinkView link(BerthClient client, @Nullable String job) throws IOException {
        try {
            return client.link(job);
        } catch (Failure failure) {
            if (failure.error().code().equals("NO_SUCH_ROUTE")) {
                throw failure.inWords(
                        "this server has no page: page.enabled is false there, or it is older than the page");
            }
            throw failure;
        }
    }
}
