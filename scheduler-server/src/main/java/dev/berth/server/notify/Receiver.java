package dev.berth.server.notify;

import dev.berth.core.text.HarmlessText;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.regex.Pattern;

/** A place that notices are sent to. It may hold a secret, so that its text is what may be shown of it. */
public sealed interface Receiver {
    /** What may be shown: enough to tell it from others, and nothing that opens anything. */
    String shown();

    /**
     * A web address.
     *
     * @param form of what it is sent
     */
    record Webhook(Form form, URI address) implements Receiver {
        private static final int MIN_SECRET = 16;
        private static final int SHOWN = 4;
        private static final int HTTPS = 443;
        private static final int HTTP = 80;

        boolean isEncrypted() {
            return "https".equals(address.getScheme());
        }

        /** The host, without the brackets of an IPv6 address. */
        String host() {
            String host = address.getHost();
            return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
        }

        int port() {
            return address.getPort() < 0 ? isEncrypted() ? HTTPS : HTTP : address.getPort();
        }

        /** The path and all behind it. */
        String target() {
            String path = address.getRawPath().isEmpty() ? "/" : address.getRawPath();
            return address.getRawQuery() == null ? path : path + "?" + address.getRawQuery();
        }

        @Override
        public String shown() {
            String target = target();
            String end = target.length() < MIN_SECRET ? "" : target.substring(target.length() - SHOWN);
            return address.getScheme() + "://" + address.getRawAuthority() + "/..." + end;
        }

        @Override
        public String toString() {
            return shown();
        }
    }

    /** A mail address, which is no secret. */
    record Mail(String address) implements Receiver {
        /** The word before an address. */
        static final String WORD = "mail:";

        private static final Pattern ADDRESS =
                Pattern.compile("[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?");

        static Mail parse(String text) {
            if (!ADDRESS.matcher(text).matches()) {
                throw new IllegalArgumentException("must be mail: and one address, as in mail:ada@example.org");
            }
            return new Mail(text);
        }

        @Override
        public String shown() {
            return WORD + address;
        }
    }

    /**
     * A command on the machine, run with the rights of the user whose wish it is. Of its words only the first is shown, and that only
     * where it sets no variable.
     *
     * @param line for {@code /bin/sh}
     */
    record Command(String line) implements Receiver {
        /** The word before a command. */
        static final String WORD = "cmd:";

        private static final int MAX_SHOWN = 100;
        private static final Pattern SHOWN = Pattern.compile("[A-Za-z0-9_./~+@%-]+");

        static Command parse(String text) {
            String line = text.strip();
            if (line.isEmpty() || line.codePoints().anyMatch(c -> !HarmlessText.isPlain(c))) {
                throw new IllegalArgumentException(
                        "must be cmd: and a command of one line, as in cmd:/home/ada/bin/told, without control or"
                                + " formatting characters");
            }
            return new Command(line);
        }

        @Override
        public String shown() {
            String first = line.split(" ", 2)[0];
            boolean isHarmless =
                    first.length() <= MAX_SHOWN && SHOWN.matcher(first).matches();
            return WORD + (isHarmless ? first : "") + (isHarmless && first.equals(line) ? "" : "...");
        }

        @Override
        public String toString() {
            return shown();
        }
    }

    /**
     * The receiver that a text names: an address of the web, with the form before it where its host does not say it;
     * {@code mail:ADDRESS}; {@code cmd:COMMAND}.
     *
     * @throws IllegalArgumentException with the rule that the text breaks, and nothing of the text
     */
    static Receiver parse(String text) {
        if (text.startsWith(Mail.WORD)) {
            return Mail.parse(text.substring(Mail.WORD.length()));
        }
        if (text.startsWith(Command.WORD)) {
            return Command.parse(text.substring(Command.WORD.length()));
        }
        for (Form form : Form.values()) {
            if (text.startsWith(form.word() + ":")) {
                return new Webhook(form, address(text.substring(form.word().length() + 1)));
            }
        }
        URI address = address(text);
        return new Webhook(Form.of(address.getHost().toLowerCase(Locale.ROOT)), address);
    }

    /** What may be shown of a text that was accepted before; of one that this version does not know, nothing. */
    static String shown(String text) {
        try {
            return parse(text).shown();
        } catch (IllegalArgumentException e) {
            return "...";
        }
    }

    private static URI address(String text) {
        String rule =
                "must be https://HOST/..., with slack:, discord:, teams:, ntfy: or json: before it for another form;"
                        + " or mail:ADDRESS, or cmd:COMMAND";
        try {
            URI given = new URI(text);
            String scheme = given.getScheme() == null ? "" : given.getScheme().toLowerCase(Locale.ROOT);
            boolean isOfTheWeb = scheme.equals("https") || scheme.equals("http");
            if (!isOfTheWeb || given.getHost() == null) {
                throw new IllegalArgumentException(rule);
            }
            if (given.getRawUserInfo() != null || given.getRawFragment() != null) {
                throw new IllegalArgumentException("must have no name or password before its host, and no # in it");
            }
            if (given.getPort() == 0 || given.getPort() > 0xffff) {
                throw new IllegalArgumentException("must have a port from 1 to 65535");
            }
            requireName(given.getHost());
            return new URI(scheme + given.toASCIIString().substring(scheme.length()));
        } catch (URISyntaxException noAddress) {
            // Which has the text in its message.
            throw new IllegalArgumentException(rule);
        }
    }

    /** An address in one of the forms that some take for a number and others for a name is neither. */
    private static void requireName(String host) {
        String last = host.substring(host.lastIndexOf('.') + 1);
        boolean isNumber = !last.isEmpty() && Character.isDigit(last.charAt(0));
        if (isNumber && !host.startsWith("[") && !isLiteral(host)) {
            throw new IllegalArgumentException("must name its host, or have its IP address as 192.0.2.7");
        }
    }

    private static boolean isLiteral(String host) {
        try {
            return InetAddress.ofLiteral(host).getHostAddress().equals(host);
        } catch (IllegalArgumentException noAddress) {
            return false;
        }
    }
}
