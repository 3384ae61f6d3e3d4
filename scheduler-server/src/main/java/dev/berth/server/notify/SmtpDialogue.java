package dev.berth.server.notify;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Commands to a mail server and its replies (RFC 5321), over one socket. For one thread. */
final class SmtpDialogue {
    private static final int MAX_LINES = 100;
    private static final int MAX_LINE = 1_000;
    private static final int CODE = 3;

    private final InputStream in;
    private final OutputStream out;

    SmtpDialogue(Socket socket) throws IOException {
        in = new BufferedInputStream(socket.getInputStream());
        out = socket.getOutputStream();
    }

    /** The server did not do what it was asked for. */
    static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        private final int code;

        RefusedException(int code, String what) {
            super("the mail server answered " + code + " to " + what);
            this.code = code;
        }

        /** Whether it would do so again. */
        boolean isFinal() {
            return code / 100 == 5;
        }
    }

    /**
     * Sends a command and waits for the reply.
     *
     * @param what it is, for people: the command itself may be a password
     * @param wanted the reply's code
     * @return the lines of the reply, without their codes
     */
    List<String> ask(String command, String what, int... wanted) throws IOException {
        send(command + "\r\n");
        return reply(what, wanted);
    }

    void send(String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    List<String> reply(String what, int... wanted) throws IOException {
        List<String> lines = new ArrayList<>();
        while (lines.size() < MAX_LINES) {
            String line = line();
            int code = code(line);
            lines.add(line.length() > CODE ? line.substring(CODE + 1).toUpperCase(Locale.ROOT) : "");
            if (line.length() == CODE || line.charAt(CODE) == ' ') {
                if (Arrays.stream(wanted).noneMatch(one -> one == code)) {
                    throw new RefusedException(code, what);
                }
                return lines;
            }
        }
        throw new IOException("the mail server's reply is too long");
    }

    /** Whether something is there that nobody asked for: before TLS begins, anybody may have put it there. */
    boolean hasMore() throws IOException {
        return in.available() > 0;
    }

    private static int code(String line) throws IOException {
        boolean isReply = line.length() >= CODE
                && line.substring(0, CODE).chars().allMatch(c -> c >= '0' && c <= '9')
                && (line.length() == CODE || line.charAt(CODE) == ' ' || line.charAt(CODE) == '-');
        if (!isReply) {
            throw new IOException("what the mail server answers is not SMTP");
        }
        return Integer.parseInt(line, 0, CODE, 10);
    }

    private String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int read = in.read(); read != '\n'; read = in.read()) {
            if (read < 0) {
                throw new IOException("the mail server has closed the connection");
            }
            if (line.length() >= MAX_LINE) {
                throw new IOException("the mail server's reply is too long");
            }
            line.append((char) read);
        }
        return line.toString().stripTrailing();
    }
}
