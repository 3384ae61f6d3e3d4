package dev.berth.server.runner.slurm;

import dev.berth.server.runner.target.Handed;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What Slurm's programs write, as values. A line that is not of the form that was asked for is no line of ours, and left out: some
 * sites' programs greet. Times are in UTC, as the programs are told to write them.
 */
final class SlurmText {
    /** Of {@code squeue --array -o}: a task's number is {@code 12_3}. The name stands last, for it is the one thing there that a user has chosen. */
    static final String QUEUE_FORMAT = "%i|%U|%T|%r|%S|%N|%j";

    /** Of {@code squeue --array -O}, in columns that no value fills: {@code -o} has no exit code. */
    static final String END_FORMAT = "JobArrayID:40,exit_code:20,EndTime:30";

    /** Of {@code sacct -X -P -o}. */
    static final String ACCOUNT_FORMAT = "JobID,UID,State,ExitCode,Start,End,NodeList,JobName%200";

    /** Of {@code sacct -P -o}, with no text in it that users choose: the names of steps are theirs. */
    static final String USE_FORMAT = "JobID,TotalCPU,MaxRSS";

    /** Of {@code sinfo -h -N -o}: a node is listed once for each of its partitions. */
    static final String NODE_FORMAT = "%N|%T|%c|%G";

    private static final int QUEUE_FIELDS = 7;
    private static final int END_FIELDS = 3;
    private static final int ACCOUNT_FIELDS = 8;
    private static final int USE_FIELDS = 3;
    private static final int NODE_FIELDS = 4;

    private static final Pattern EXIT = Pattern.compile("(\\d{1,5}):(\\d{1,3})");
    private static final Pattern WAIT_STATUS = Pattern.compile("\\d{1,9}");
    private static final Pattern CPU_TIME =
            Pattern.compile("(?:(\\d{1,6})-)?(?:(\\d{1,6}):)?(\\d{1,6}):(\\d{1,2})(?:\\.(\\d{1,9}))?");
    private static final Pattern BYTES = Pattern.compile("(\\d{1,15})(?:\\.(\\d{1,6}))?([KMGTP]?)n?");
    private static final Pattern SUBMITTED = Pattern.compile("(\\d{1,18})(?:;[\\w.-]+)?");
    private static final Pattern GPUS = Pattern.compile("gpu(?::[^:,()]+)?:(\\d{1,6})");
    private static final String UNITS = "KMGTP";
    private static final int KIBI = 1024;
    private static final int CODE_BITS = 8;
    private static final int MAX_CODE = 0xff;
    private static final int MAX_SIGNAL = 0x7f;

    private SlurmText() {}

    /**
     * A job as {@code squeue} lists it.
     *
     * @param startedAt null where it did not start, and nobody says when it will
     */
    record QueueLine(
            String id,
            long uid,
            String state,
            String reason,
            @Nullable Instant startedAt,
            String nodes,
            String name) {}

    /**
     * How a job ended, as {@code squeue} lists it.
     *
     * @param endedAt null where nobody says when
     */
    record EndLine(String id, ExitStatus exit, @Nullable Instant endedAt) {}

    /** A job as accounting has it. */
    record AccountLine(
            String id,
            long uid,
            String state,
            ExitStatus exit,
            @Nullable Instant startedAt,
            @Nullable Instant endedAt,
            String nodes,
            String name) {}

    /** A code and a signal, one of which is 0. */
    record ExitStatus(int code, int signal) {}

    /** What a job, or a step of it such as {@code 12.batch}, has used. */
    record UseLine(String id, Duration cpuTime, long maxMemoryBytes) {}

    /** A node. */
    record NodeLine(String name, String state, int cores, int gpus) {}

    /** The names of these, as options of {@code squeue} and {@code sacct} take them. */
    static String names(Collection<Handed> handed) {
        return handed.stream().map(Handed::name).distinct().collect(Collectors.joining(","));
    }

    /** Whether a job of its name, of such a number, is this one: {@code 12_3} is the task 3 of an array. */
    static boolean isOf(String id, Handed handed) {
        return handed.task() == null ? id.indexOf('_') < 0 : id.endsWith("_" + handed.task());
    }

    /** The number of the array that {@code 12_3}, or {@code 12_[4-7]} for tasks that have not started, is of. */
    static Optional<String> array(String id) {
        int end = id.indexOf('_');
        return end < 0 ? Optional.empty() : Optional.of(id.substring(0, end));
    }

    /** Whether this is the one line of all tasks of an array that have not started: {@code 12_[4-7]}. */
    static boolean isRest(String id) {
        return id.contains("_[");
    }

    static List<QueueLine> queue(String text) {
        return text.lines()
                .map(line -> line.split("\\|", QUEUE_FIELDS))
                .filter(fields ->
                        fields.length == QUEUE_FIELDS && number(fields[1]).isPresent())
                .map(fields -> new QueueLine(
                        fields[0],
                        number(fields[1]).orElseThrow(),
                        fields[2],
                        fields[3],
                        time(fields[4]),
                        fields[5],
                        fields[6]))
                .toList();
    }

    static List<EndLine> ends(String text) {
        return text.lines()
                .map(line -> line.strip().split(" +"))
                .filter(fields -> fields.length == END_FIELDS)
                .map(fields -> new EndLine(fields[0], exit(fields[1]), time(fields[2])))
                .toList();
    }

    static List<AccountLine> accounts(String text) {
        return text.lines()
                .map(line -> line.split("\\|", ACCOUNT_FIELDS))
                .filter(fields ->
                        fields.length == ACCOUNT_FIELDS && number(fields[1]).isPresent())
                .map(fields -> new AccountLine(
                        fields[0],
                        number(fields[1]).orElseThrow(),
                        fields[2],
                        exit(fields[3]),
                        time(fields[4]),
                        time(fields[5]),
                        fields[6],
                        fields[7]))
                .toList();
    }

    static List<UseLine> uses(String text) {
        return text.lines()
                .map(line -> line.split("\\|", USE_FIELDS))
                .filter(fields -> fields.length == USE_FIELDS)
                .map(fields -> new UseLine(fields[0], cpuTime(fields[1]), bytes(fields[2])))
                .toList();
    }

    static List<NodeLine> nodes(String text) {
        return text.lines()
                .map(line -> line.split("\\|", NODE_FIELDS))
                .filter(fields ->
                        fields.length == NODE_FIELDS && number(fields[2]).isPresent())
                .map(fields -> new NodeLine(
                        fields[0], fields[1], Math.toIntExact(number(fields[2]).orElseThrow()), gpus(fields[3])))
                .distinct()
                .toList();
    }

    /** The number that {@code sbatch --parsable} gives a job, with the name of its cluster or without. */
    static Optional<String> submitted(String text) {
        return text.lines()
                .map(String::strip)
                .map(SUBMITTED::matcher)
                .filter(Matcher::matches)
                .map(line -> line.group(1))
                .reduce((_, last) -> last);
    }

    /** A setting in what {@code scontrol show config} writes. */
    static Optional<String> setting(String text, String name) {
        return text.lines()
                .filter(line -> line.matches("\\s*" + Pattern.quote(name) + "\\s*=.*"))
                .map(line -> line.substring(line.indexOf('=') + 1).strip())
                .findFirst();
    }

    /** {@code 3:0} for the code 3, {@code 0:9} for the signal 9; {@code squeue} has 768 and 9 for these (wait(2)). */
    static ExitStatus exit(String text) {
        Matcher exit = EXIT.matcher(text);
        if (exit.matches()) {
            return new ExitStatus(Integer.parseInt(exit.group(1)), Integer.parseInt(exit.group(2)));
        }
        int status = WAIT_STATUS.matcher(text).matches() ? Integer.parseInt(text) : 0;
        return new ExitStatus(status >> CODE_BITS & MAX_CODE, status & MAX_SIGNAL);
    }

    /** Null for {@code N/A}, {@code None}, {@code Unknown}. */
    static @Nullable Instant time(String text) {
        try {
            return LocalDateTime.parse(text, DateTimeFormatter.ISO_LOCAL_DATE_TIME)
                    .toInstant(ZoneOffset.UTC);
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** {@code 1-02:03:04}, {@code 02:03.456}; nothing where it is of no such form. */
    static Duration cpuTime(String text) {
        Matcher time = CPU_TIME.matcher(text);
        if (!time.matches()) {
            return Duration.ZERO;
        }
        String fraction = (time.group(5) == null ? "" : time.group(5)) + "000000000";
        return Duration.ofDays(orZero(time.group(1)))
                .plusHours(orZero(time.group(2)))
                .plusMinutes(orZero(time.group(3)))
                .plusSeconds(orZero(time.group(4)))
                .plusNanos(Long.parseLong(fraction.substring(0, 9)));
    }

    private static long orZero(@Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    /** {@code 1234K}, {@code 1.50G}; 0 where it is of no such form. */
    static long bytes(String text) {
        Matcher bytes = BYTES.matcher(text);
        if (!bytes.matches()) {
            return 0;
        }
        double unit = Math.pow(KIBI, bytes.group(3).isEmpty() ? 0 : UNITS.indexOf(bytes.group(3)) + 1);
        String fraction = bytes.group(2) == null ? "0" : bytes.group(2);
        return (long) (Double.parseDouble(bytes.group(1) + "." + fraction) * unit);
    }

    private static int gpus(String gres) {
        return GPUS.matcher(gres)
                .results()
                .mapToInt(found -> Integer.parseInt(found.group(1)))
                .sum();
    }

    private static OptionalLong number(String text) {
        return text.matches("\\d{1,18}") ? OptionalLong.of(Long.parseLong(text)) : OptionalLong.empty();
    }
}
