package dev.berth.server.notify;

import dev.berth.server.config.MailSecurity;
import dev.berth.server.notify.Receiver.Mail;
import dev.berth.server.notify.Sent.Arrived;
import dev.berth.server.notify.Sent.Failed;
import dev.berth.server.upkeep.Tasks;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import javax.net.ssl.SSLSocketFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Mail to one address, by the administrator's mail server. Written by hand, as requests are: of a mail library a twentieth would
 * be used, and none bounds a whole attempt. Blocks; safe for any thread.
 */
record MailSender(MailServer server, Supplier<SSLSocketFactory> tls, Duration within, Tasks watch) {
    private static final Logger LOG = LoggerFactory.getLogger(MailSender.class);

    Sent send(Mail to, String key, Content content, boolean isRepeated) {
        try (Connection connection = new Connection(within, watch)) {
            return send(to, MailText.of(server.from(), to, key, content, isRepeated), connection);
        }
    }

    private Sent send(Mail to, String text, Connection connection) {
        try {
            SmtpDialogue dialogue = ready(connection);
            dialogue.ask("MAIL FROM:<" + server.from() + ">", "the sender " + server.from(), 250);
            return deliver(dialogue, to, text);
        } catch (UnknownHostException e) {
            return Failed.of("the name of the mail server (notify.mail-server) is not known");
        } catch (IOException e) {
            return connection.failed(e, late());
        }
    }

    private String late() {
        return "the mail server has not answered within " + within.toSeconds() + " seconds";
    }

    /** What is refused for good here is the recipient's or the mail's fault, and no trouble of the server's. */
    private static Sent deliver(SmtpDialogue dialogue, Mail to, String text) throws IOException {
        try {
            dialogue.ask("RCPT TO:<" + to.address() + ">", "the recipient", 250, 251);
            dialogue.ask("DATA", "the mail", 354);
            dialogue.send(text);
            dialogue.ask(".", "the mail", 250);
        } catch (SmtpDialogue.RefusedException e) {
            return new Failed(String.valueOf(e.getMessage()), e.isFinal(), Duration.ZERO);
        }
        try {
            dialogue.send("QUIT\r\n");
        } catch (IOException e) {
            LOG.debug("the mail server left before it was told to: {}", e.toString());
        }
        return new Arrived("the mail server took it");
    }

    /** The dialogue with the server once it knows who is there. */
    private SmtpDialogue ready(Connection connection) throws IOException {
        Socket socket = connection.add(new Socket());
        socket.connect(new InetSocketAddress(server.host(), server.port()), Math.toIntExact(within.toMillis()));
        String self = "EHLO " + literal(socket.getLocalAddress());
        if (server.security() == MailSecurity.TLS) {
            socket = connection.encrypted(socket, server.host(), tls.get());
        }
        SmtpDialogue dialogue = new SmtpDialogue(socket);
        dialogue.reply("the connection", 220);
        List<String> offers = dialogue.ask(self, "EHLO", 250);
        if (server.security() == MailSecurity.STARTTLS) {
            if (!offers.contains("STARTTLS")) {
                throw new IOException("the mail server offers no STARTTLS");
            }
            dialogue.ask("STARTTLS", "STARTTLS", 220);
            if (dialogue.hasMore()) {
                throw new IOException("the mail server said more before TLS than it was asked for");
            }
            dialogue = new SmtpDialogue(connection.encrypted(socket, server.host(), tls.get()));
            offers = dialogue.ask(self, "EHLO", 250);
        }
        logIn(dialogue, offers);
        return dialogue;
    }

    /** AUTH PLAIN (RFC 4616), or LOGIN where the server has that alone. */
    private void logIn(SmtpDialogue dialogue, List<String> offers) throws IOException {
        if (server.user() == null) {
            return;
        }
        String user = server.user();
        String password = password();
        List<String> ways = offers.stream()
                .filter(offer -> offer.startsWith("AUTH ") || offer.startsWith("AUTH="))
                .flatMap(offer -> List.of(offer.substring("AUTH ".length()).split(" ")).stream())
                .toList();
        if (ways.contains("PLAIN")) {
            dialogue.ask("AUTH PLAIN " + base64("\0" + user + "\0" + password), "the password", 235);
        } else if (ways.contains("LOGIN")) {
            dialogue.ask("AUTH LOGIN", "the log-in", 334);
            dialogue.ask(base64(user), "the user", 334);
            dialogue.ask(base64(password), "the password", 235);
        } else {
            throw new IOException("the mail server takes passwords neither by PLAIN nor by LOGIN");
        }
    }

    private String password() throws IOException {
        try (BufferedReader lines = Files.newBufferedReader(Objects.requireNonNull(server.passwordFile()))) {
            return Objects.requireNonNullElse(lines.readLine(), "");
        } catch (IOException e) {
            throw new IOException("the file of the mail server's password cannot be read", e);
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String literal(InetAddress own) {
        String text = own.getHostAddress();
        return own instanceof Inet6Address ? "[IPv6:" + text.split("%", 2)[0] + "]" : "[" + text + "]";
    }
}
