package dev.berth.server.http;

import dev.berth.server.fuzz.ApiDescription;
import dev.berth.server.fuzz.ApiDescription.Operation;
import dev.berth.testclient.Answer;
import dev.berth.testclient.Following;
import dev.berth.testclient.TestClient;
import java.io.ByteArrayOutputStream;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * What the command line's client does, without its help. An answer with a status that {@code docs/api/openapi.yaml} does
 * not have for its route is a failure, whatever a test looks at.
 */
public final class Wire {
    private static final List<Operation> DESCRIBED = ApiDescription.read().operations();

    /** What any route may answer; the introduction of the description has them. */
    private static final Set<String> OF_ALL_ROUTES =
            Set.of("BAD_REQUEST", "TOKEN_NOT_TAKEN", "FOREIGN_HOST", "FOREIGN_ORIGIN", "TOO_MANY_CONNECTIONS");

    private Wire() {}

    static Answer get(Path socket, String target) {
        return ask(UnixDomainSocketAddress.of(socket), "GET", target, new byte[0]);
    }

    static Answer post(Path socket, String target, String body) {
        return ask(UnixDomainSocketAddress.of(socket), "POST", target, body.getBytes(StandardCharsets.UTF_8));
    }

    /** Each header as {@code Name: value}; a Host among them takes the place of the right one. */
    public static Answer ask(SocketAddress address, String method, String target, byte[] body, String... headers) {
        return described(method, target, TestClient.ask(address, method, target, body, headers));
    }

    private static Answer described(String method, String target, Answer answer) {
        String path = target.replaceFirst("\\?.*", "");
        for (Operation operation : DESCRIBED) {
            if (operation.isAsked(method, path)
                    && !operation.statuses().contains(answer.status())
                    && !OF_ALL_ROUTES.contains(answer.code())) {
                throw new AssertionError("docs/api/openapi.yaml has " + operation.statuses() + " for "
                        + operation.name() + ", and the answer is " + answer);
            }
        }
        return answer;
    }

    /** The same with a method or a target that no client would send. */
    static Answer odd(SocketAddress address, String method, String target) {
        return described(method, target, TestClient.odd(address, method, target));
    }

    /** Sends bytes as they are. */
    public static Answer raw(SocketAddress address, String head, byte[] body) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.writeBytes(head.getBytes(StandardCharsets.ISO_8859_1));
        all.writeBytes(body);
        return TestClient.raw(address, all.toByteArray(), false);
    }

    /** Asks for something that goes on. */
    static Following open(Path socket, String target, String... headers) {
        return TestClient.open(UnixDomainSocketAddress.of(socket), target, headers);
    }
}
