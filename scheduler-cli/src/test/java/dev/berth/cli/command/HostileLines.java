package dev.berth.cli.command;

import dev.berth.cli.line.CommandNames;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Command lines with something wrong in most of them, drawn from a seed and from what the commands say they take. */
final class HostileLines {
    private static final List<String> WORDS = List.of(
            "",
            " ",
            "-",
            "--",
            "---",
            "-=",
            "--=",
            "=",
            "-q",
            "-x",
            "--json",
            "--help",
            "--no-such-option",
            "--num-gpu",
            "0",
            "1",
            "-1",
            "007",
            "1-3",
            "3-1",
            "1,2",
            "1e3",
            "0x10",
            "9223372036854775807",
            "9223372036854775808",
            "99999999999999999999999999",
            "NaN",
            "10s",
            "-10s",
            "1h30m",
            "1:2:3:4",
            "yesterday",
            "2026-02-30",
            "A=B",
            "=B",
            "A=",
            "a:b:c:d",
            "/a:/b",
            "all",
            "QUEUED",
            "root",
            "@root",
            "@",
            "*",
            "?",
            "[",
            "%s%n",
            "${HOME}",
            "$(id)",
            "'",
            "\"",
            "\\",
            "\0",
            "\u001b[2J",
            "\u202e",
            "\n",
            "\r\nX: 1",
            "\ud800",
            "\ud83d\udea2",
            "\uff11",
            "x".repeat(300),
            "y".repeat(40_000));

    /** They read directories or standard input, start programs or servers, or write files: their lines are read, and that is all. */
    private static final Set<String> READ_ONLY = Set.of(
            "server start",
            "server restore",
            "server check",
            "config show",
            "config check",
            "run",
            "lease",
            "doctor",
            "projects notes",
            "notify add",
            "get");

    private final SplittableRandom random;
    private final Path project;

    /**
     * Of a seed.
     *
     * @param project the one directory that may be submitted
     */
    HostileLines(SplittableRandom random, Path project) {
        this.random = random;
        this.project = project;
    }

    /**
     * A line.
     *
     * @param isCarriedOut whether more may be done about it than to read it
     */
    record Line(String name, List<String> words, boolean isCarriedOut) {
        /** With the command's words in front. */
        List<String> whole() {
            List<String> whole = new ArrayList<>(name.isEmpty() ? List.of() : List.of(name.split(" ")));
            whole.addAll(words);
            return whole;
        }
    }

    Line next() {
        if (chance(0.03)) {
            return new Line("", words(random.nextInt(4)), true);
        }
        String name = pick(CommandNames.ALL);
        List<String> options =
                List.copyOf(Verbs.of(name).shape().spec().optionsMap().keySet());
        List<String> words = new ArrayList<>();
        if (name.equals("submit") && chance(0.9)) {
            words.addAll(List.of("scheduler", project.toString()));
        }
        for (int i = random.nextInt(5); i > 0; i--) {
            if (chance(0.4)) {
                words.add(word());
            } else {
                option(words, pick(options));
            }
        }
        return new Line(name, words, !READ_ONLY.contains(name));
    }

    private void option(List<String> words, String option) {
        String name = chance(0.05) ? option + pick(List.of("x", "-", "=", "\u001b")) : option;
        // Only what is no address can be an address of another machine's.
        String value = option.equals("--url") ? "http://127.0.0.1:1" : word();
        if (chance(0.3)) {
            words.add(name + "=" + value);
        } else {
            words.add(name);
            if (chance(0.8)) {
                words.add(value);
            }
        }
    }

    private List<String> words(int count) {
        List<String> words = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            words.add(word());
        }
        return words;
    }

    private String word() {
        return chance(0.9) ? pick(WORDS) : "w" + random.nextInt(100);
    }

    private boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    private <T> T pick(List<T> from) {
        return from.get(random.nextInt(from.size()));
    }
}
