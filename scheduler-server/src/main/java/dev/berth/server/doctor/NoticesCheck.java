package dev.berth.server.doctor;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;

/** Whether those who want to be told of jobs could be. */
final class NoticesCheck {
    private static final String CHECK = "notices";
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Findings findings;

    NoticesCheck(Findings findings) {
        this.findings = findings;
    }

    void look(NoticeWays ways) {
        if (!ways.isOn()) {
            findings.ok(CHECK, "nobody is told of jobs (notify.enabled)");
            return;
        }
        String commands = ways.whyNoCommands()
                .get()
                .map(why -> "no commands of users (cmd:) are run: " + why)
                .orElse("commands of users (cmd:) run in cgroups with limits");
        String host = ways.mailServer();
        if (host == null) {
            findings.ok(CHECK, "no mail server is set (notify.mail-server); " + commands);
            return;
        }
        String server = "the mail server " + host + ":" + ways.mailPort();
        String why = whyNot(new InetSocketAddress(host, ways.mailPort()));
        if (why.isEmpty()) {
            findings.ok(CHECK, server + " answers; " + commands);
        } else {
            findings.warning(
                    CHECK,
                    server + " (notify.mail-server, notify.mail-port) cannot be reached: " + why
                            + "; mail to it waits for a day; " + commands,
                    "berth config show");
        }
    }

    private static String whyNot(InetSocketAddress server) {
        if (server.isUnresolved()) {
            return "its name is not known";
        }
        try (Socket socket = new Socket()) {
            socket.connect(server, Math.toIntExact(PATIENCE.toMillis()));
            return "";
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
