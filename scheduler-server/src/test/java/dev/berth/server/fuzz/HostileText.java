package dev.berth.server.fuzz;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;

/** Values that somebody hostile would try. */
final class HostileText {
    private static final List<String> TEXTS = List.of(
            "",
            " ",
            "\0",
            "a\0b",
            "\u001b[2J",
            "\u202emoc.exe",
            "\ufeff",
            "\ud83d\udea2",
            "e\u0301\u0301\u0301",
            "\uff11",
            "..",
            "../../../../etc/passwd",
            "/proc/self/root",
            "%2e%2e%2f",
            "%00",
            "%",
            "%zz",
            "'; DROP TABLE job; --",
            "' OR '1'='1",
            "${jndi:ldap://x}",
            "$(id)",
            "{}",
            "[]",
            "null",
            "true",
            "NaN",
            "-",
            "--",
            "--help",
            "a\r\nX-Injected: 1",
            "\n",
            "\t",
            ",",
            ",,",
            ":",
            "::",
            "a:b:c:d",
            "=",
            "A=B",
            "*",
            "?",
            "\\",
            "\"",
            "<script>",
            "root",
            "nobody",
            "GPU-",
            "MIG-",
            "0x10",
            "1e3",
            "+1",
            "01");

    static final List<String> NUMBERS = List.of(
            "0",
            "-0",
            "1",
            "-1",
            "2",
            "255",
            "256",
            "1001",
            "2147483647",
            "2147483648",
            "-2147483649",
            "9223372036854775807",
            "9223372036854775808",
            "-9223372036854775809",
            "1e309",
            "-1e-400",
            "1.5",
            "1E+2",
            "0.0000000000000000000000000000000000001",
            "123456789012345678901234567890123456789012345678901234567890");

    private final SplittableRandom random;

    HostileText(SplittableRandom random) {
        this.random = random;
    }

    <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    /** Some text, seldom long. */
    String text() {
        return switch (random.nextInt(12)) {
            case 0 -> pick(NUMBERS);
            case 1 -> characters(1 + random.nextInt(20), 0x20, 0x7f);
            case 2 -> characters(1 + random.nextInt(20), 0, 0x100);
            case 3 -> characters(1 + random.nextInt(20), 0, 0xd800);
            case 4 -> chance(0.05) ? "x".repeat(random.nextInt(40_000)) : "x".repeat(random.nextInt(300));
            default -> pick(TEXTS);
        };
    }

    private String characters(int length, int from, int to) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append((char) random.nextInt(from, to));
        }
        return text.toString();
    }

    /** As a part of a path or a query: mostly encoded as it should be, now and then in a way of its own. */
    String encoded(String text) {
        boolean odd = chance(0.15);
        StringBuilder encoded = new StringBuilder();
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            boolean plain = each > 0x20 && each < 0x7f && "\"#%&+/:;<=>?[\\]^`{|}".indexOf(each) < 0;
            if (plain && !(odd && chance(0.3))) {
                encoded.append((char) each);
            } else {
                encoded.append('%').append("%02x".formatted(each & 0xff));
            }
        }
        if (odd) {
            encoded.insert(
                    random.nextInt(encoded.length() + 1),
                    pick(List.of(
                            "%ff",
                            "%",
                            "%c3",
                            "%c3%28",
                            "%ed%a0%80",
                            "%f8",
                            "%zz",
                            "%u0041",
                            "+",
                            ";",
                            "%00",
                            "%2f",
                            "%0d%0a",
                            "&",
                            "=",
                            "%25")));
        }
        return encoded.toString();
    }
}
