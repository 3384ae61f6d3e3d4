package dev.berth.server.config;

import dev.berth.core.text.DurationText;
import dev.berth.server.config.ValueType.Many;
import dev.berth.server.config.ValueType.One;
import dev.berth.server.gpu.occupy.ForeignPolicy;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The kinds of values that settings have. */
final class Types {
    private static final Duration MAX_SPAN = Duration.ofDays(3_650);

    static final One<Boolean> BOOL = new One<>("true or false", Types::bool);
    static final One<ByteSize> SIZE = new One<>("a size such as 512m, 8g or 1GiB", ByteSize::parse);
    static final One<Duration> DURATION =
            new One<>("a duration above zero and of at most 3650 days, such as 30s, 2h or 1d12h", Types::span);

    /** Zero for off. */
    static final One<Duration> DURATION_OR_OFF = new One<>(
            "a duration above zero and of at most 3650 days, such as 30s, 2h or 1d12h, or off",
            text -> text.equals("off") ? Optional.of(Duration.ZERO) : span(text));

    static final One<ForeignPolicy> FOREIGN_POLICY = new One<>(ForeignPolicy.RULE, ForeignPolicy::parse);
    static final One<Path> PATH = new One<>("an absolute path", Types::path);
    static final One<InetAddress> ADDRESS = new One<>("an IP address, such as 127.0.0.1 or ::1", Types::address);
    static final One<Member> MEMBER = new One<>("a user's name, or @ and a group's name", Member::parse);
    static final One<GpuWord> GPU_WORD =
            new One<>("a GPU's index or UUID, = and a word, such as 0=fast", GpuWord::parse);
    static final One<GpuWord> GPU_COUNT =
            new One<>("a GPU's index or UUID, = and a number from 1 to 99, such as 0=4", GpuWord::parseCount);
    static final One<String> IMAGE =
            text("the name of an image: at most 255 characters without blanks", "[\\x21-\\x7e]{1,255}");
    static final One<String> NETWORK = text("the name of a Docker network", "[A-Za-z0-9][A-Za-z0-9_.-]{0,127}");
    static final One<AllowedHost> ALLOWED_HOST = new One<>(AllowedHost.RULE, AllowedHost::parse);
    static final One<String> MAIL_ADDRESS = text(
            "a mail address", "[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?");
    static final One<String> LOGIN = text("a name of at most 128 characters without blanks", "[\\x21-\\x7e]{1,128}");
    static final One<String> HOST = new One<>(
            "a host's name without a port",
            text -> matching(text, "[A-Za-z0-9]([A-Za-z0-9.-]{0,252})").map(name -> name.toLowerCase(Locale.ROOT)));

    private static final Pattern DECIMAL = Pattern.compile("[0-9]{1,9}(\\.[0-9]{1,3})?");
    private static final int MAX_DIGITS = 10;

    private Types() {}

    static <T> Many<T> list(One<T> each) {
        return new Many<>(each);
    }

    static One<Integer> number(int min, int max) {
        return new One<>("a whole number from " + min + " to " + max, text -> number(text, min, max));
    }

    /** A decimal number above zero, up to the greatest. */
    static One<BigDecimal> decimal(int max) {
        Predicate<BigDecimal> inRange = number -> number.signum() > 0 && number.compareTo(BigDecimal.valueOf(max)) <= 0;
        return new One<>(
                "a number above 0 and at most " + max + " with up to three decimals, such as 2 or 0.5",
                text -> DECIMAL.matcher(text).matches()
                        ? Optional.of(new BigDecimal(text)).filter(inRange)
                        : Optional.empty());
    }

    /** Constant of the type, in lower case and with hyphens. */
    static <E extends Enum<E>> One<E> word(Class<E> type, String rule) {
        return new One<>(
                rule,
                text -> Stream.of(type.getEnumConstants())
                        .filter(it -> it.name()
                                .toLowerCase(Locale.ROOT)
                                .replace('_', '-')
                                .equals(text))
                        .findFirst());
    }

    private static One<String> text(String rule, String pattern) {
        return new One<>(rule, text -> matching(text, pattern));
    }

    private static Optional<String> matching(String text, String pattern) {
        return Optional.of(text).filter(it -> Pattern.matches(pattern, it));
    }

    private static Optional<Boolean> bool(String text) {
        return switch (text) {
            case "true" -> Optional.of(true);
            case "false" -> Optional.of(false);
            default -> Optional.empty();
        };
    }

    private static Optional<Integer> number(String text, int min, int max) {
        boolean isNumber = !text.isEmpty()
                && text.length() <= MAX_DIGITS
                && text.chars().allMatch(digit -> digit >= '0' && digit <= '9');
        return isNumber
                ? Optional.of(Long.parseLong(text))
                        .filter(number -> number >= min && number <= max)
                        .map(Long::intValue)
                : Optional.empty();
    }

    /** As on a command line, but in units alone: of a number without one nobody sees which was meant. */
    private static Optional<Duration> span(String text) {
        boolean hasUnits = !text.isEmpty() && Character.isLetter(text.charAt(text.length() - 1));
        return Optional.of(Duration.ofSeconds(hasUnits ? DurationText.seconds(text) : 0))
                .filter(span -> span.isPositive() && span.compareTo(MAX_SPAN) <= 0);
    }

    private static Optional<Path> path(String text) {
        try {
            return Optional.of(Path.of(text)).filter(Path::isAbsolute).map(Path::normalize);
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    /** No name is looked up: what a name means may change between the check and the use. */
    private static Optional<InetAddress> address(String text) {
        try {
            return Optional.of(InetAddress.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
