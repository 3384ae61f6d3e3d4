package dev.berth.server.config;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rules about several settings together. Each is asked only where those it is about are good by themselves. */
final class Checks {
    /** The longest path of a Unix socket, unix(7). */
    private static final long MIN_LOG_BYTES = 1 << 20;

    private static final int MAX_SOCKET_BYTES = 107;

    private final Values values;
    private final Problems problems;

    private Checks(Values values, Problems problems) {
        this.values = values;
        this.problems = problems;
    }

    static void check(Values values, Problems problems) {
        Checks checks = new Checks(values, problems);
        checks.socket();
        checks.certificate();
        checks.bind();
        checks.connections();
        checks.networks();
        checks.timeLimit();
        checks.logSize();
        checks.mail();
    }

    private void socket() {
        if (values.isBroken(Keys.SOCKET, Keys.DATA_DIRECTORY)) {
            return;
        }
        Path socket = values.get(Keys.SOCKET);
        int length = socket.toString().getBytes(StandardCharsets.UTF_8).length;
        if (length > MAX_SOCKET_BYTES) {
            problem(
                    Keys.SOCKET,
                    "the socket's path " + Problems.shown(socket.toString()) + " has " + length
                            + " bytes and a Unix socket takes " + MAX_SOCKET_BYTES
                            + "; name a shorter one with --socket");
        }
    }

    private void certificate() {
        if (values.isBroken(Keys.KEY_STORE, Keys.KEY_STORE_PASSWORD_FILE, Keys.CERTIFICATE, Keys.CERTIFICATE_KEY)) {
            return;
        }
        needs(Keys.KEY_STORE, Keys.KEY_STORE_PASSWORD_FILE);
        needs(Keys.KEY_STORE_PASSWORD_FILE, Keys.KEY_STORE);
        needs(Keys.CERTIFICATE, Keys.CERTIFICATE_KEY);
        needs(Keys.CERTIFICATE_KEY, Keys.CERTIFICATE);
        if (values.find(Keys.KEY_STORE) != null && values.find(Keys.CERTIFICATE) != null) {
            problem(
                    Keys.KEY_STORE,
                    "there is tls.certificate too ("
                            + values.origin(Keys.CERTIFICATE).label()
                            + "), and a server has one certificate; keep one of them");
        }
    }

    private void mail() {
        if (values.isBroken(
                Keys.MAIL_SERVER, Keys.MAIL_FROM, Keys.MAIL_USER, Keys.MAIL_PASSWORD_FILE, Keys.MAIL_SECURITY)) {
            return;
        }
        needs(Keys.MAIL_SERVER, Keys.MAIL_FROM);
        needs(Keys.MAIL_USER, Keys.MAIL_PASSWORD_FILE);
        needs(Keys.MAIL_PASSWORD_FILE, Keys.MAIL_USER);
        if (values.find(Keys.MAIL_USER) != null && values.get(Keys.MAIL_SECURITY) == MailSecurity.NONE) {
            problem(Keys.MAIL_USER, "needs notify.mail-security starttls or tls: a password is not sent in plain text");
        }
    }

    private void needs(Key<?> one, Key<?> other) {
        if (values.find(one) != null && values.find(other) == null) {
            problem(one, "needs " + other.name() + " beside it");
        }
    }

    private void bind() {
        if (values.isBroken(
                Keys.BIND, Keys.ALLOW_INSECURE_BIND, Keys.KEY_STORE, Keys.CERTIFICATE, Keys.CERTIFICATE_KEY)) {
            return;
        }
        InetAddress address = values.get(Keys.BIND);
        boolean secure = values.find(Keys.KEY_STORE) != null || values.find(Keys.CERTIFICATE) != null;
        if (!address.isLoopbackAddress() && !secure && !values.get(Keys.ALLOW_INSECURE_BIND)) {
            problem(
                    Keys.BIND,
                    "'" + values.text(Keys.BIND) + "' lets other machines connect, and without TLS everybody on the way"
                            + " can read and change what is said, tokens included; give the server a certificate"
                            + " (--tls-certificate FILE --tls-key FILE), stay on 127.0.0.1 or ::1, or take the risk"
                            + " with --allow-insecure-bind");
        }
    }

    private void connections() {
        if (!values.isBroken(Keys.MAX_CONNECTIONS_ALL, Keys.MAX_CONNECTIONS_PER_USER)
                && values.get(Keys.MAX_CONNECTIONS_PER_USER) > values.get(Keys.MAX_CONNECTIONS_ALL)) {
            problem(
                    Keys.MAX_CONNECTIONS_PER_USER,
                    "'" + values.text(Keys.MAX_CONNECTIONS_PER_USER) + "' must be at most server.max-connections ("
                            + values.text(Keys.MAX_CONNECTIONS_ALL) + ")");
        }
    }

    private void networks() {
        if (values.isBroken(Keys.JOB_NETWORK, Keys.NETWORKS)) {
            return;
        }
        List<String> allowed = values.get(Keys.NETWORKS);
        if (!allowed.contains(values.get(Keys.JOB_NETWORK))) {
            problem(
                    Keys.JOB_NETWORK,
                    "'" + values.text(Keys.JOB_NETWORK) + "' must be one of jobs.networks ("
                            + values.text(Keys.NETWORKS) + ")");
        }
    }

    private void timeLimit() {
        if (values.isBroken(Keys.TIME_LIMIT, Keys.MAX_TIME_LIMIT)) {
            return;
        }
        @Nullable Duration limit = values.find(Keys.TIME_LIMIT);
        @Nullable Duration max = values.find(Keys.MAX_TIME_LIMIT);
        if (limit != null && max != null && limit.compareTo(max) > 0) {
            problem(
                    Keys.TIME_LIMIT,
                    "'" + values.text(Keys.TIME_LIMIT) + "' must be at most jobs.max-time-limit ("
                            + values.text(Keys.MAX_TIME_LIMIT) + ")");
        }
    }

    private void logSize() {
        if (!values.isBroken(Keys.LOG_MAX_BYTES)
                && values.get(Keys.LOG_MAX_BYTES).bytes() < MIN_LOG_BYTES) {
            problem(
                    Keys.LOG_MAX_BYTES,
                    "'" + values.text(Keys.LOG_MAX_BYTES) + "' must be at least 1m: a log is kept in pieces, and less"
                            + " than that would lose what was just written");
        }
    }

    private void problem(Key<?> key, String sentence) {
        problems.add(values.origin(key).about(key.name()) + ": " + sentence);
    }
}
