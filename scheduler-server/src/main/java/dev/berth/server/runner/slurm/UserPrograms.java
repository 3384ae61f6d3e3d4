package dev.berth.server.runner.slurm;

import dev.berth.core.job.Submitter;
import dev.berth.server.linux.Login;
import dev.berth.server.linux.Users;
import dev.berth.server.runner.EngineException;
import dev.berth.server.runner.EngineException.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs programs with the rights of a submitter, and with no right of the server's: on this machine, or on the login node by
 * {@code ssh} with that user's keys. Safe for any thread.
 *
 * @param settings of the cluster
 * @param serverUid whom the server runs as: root runs the programs of everybody, another user their own
 * @param users of this machine
 */
record UserPrograms(SlurmSettings settings, long serverUid, Users users) {
    private static final String PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

    /** Slurm's programs write times as the zone of the machine has it, and as its language does. */
    private static final Map<String, String> OF_ALL =
            Map.of("TZ", "UTC", "LC_ALL", "C.UTF-8", "SLURM_TIME_FORMAT", "standard");

    /** Writes its name to both streams before it becomes the program. */
    private static final String MARKED = "printf '%s\\n' \"$0\"; printf '%s\\n' \"$0\" >&2; exec \"$@\"";

    /** Whether what is asked about one user's jobs cannot be asked about another's in the same call. */
    boolean areByUser() {
        return settings.host() != null;
    }

    /** Where the programs run, for people. */
    String place() {
        return settings.host() == null ? "on this machine" : "on " + settings.host();
    }

    /** Runs one of Slurm's programs. */
    Said slurm(Submitter who, List<String> words, ProgramRun.Input input) {
        return run(who, named(words), input, new Bounds(settings.deadline(), ProgramRun.SMALL), Kind.UNREACHABLE);
    }

    /** Runs one of Slurm's programs that has nothing to read. */
    Said slurm(Submitter who, List<String> words) {
        return slurm(who, words, ProgramRun.NOTHING);
    }

    /**
     * What one of Slurm's programs answers.
     *
     * @throws EngineException where it ends with another code than 0
     */
    String answer(Submitter who, List<String> words) {
        Said said = slurm(who, words);
        if (!said.isWell()) {
            throw failure(words.getFirst(), said);
        }
        return said.text();
    }

    /** The failure of a program that has ended, as people are told of it. */
    EngineException failure(String program, Said said) {
        return SlurmSentences.of(program + " " + place(), said);
    }

    /** The user that the server runs as. */
    Submitter self() {
        return new Submitter(serverUid, 0, List.of(), users.name(serverUid).orElse(Long.toString(serverUid)));
    }

    /** The words, with the whole path of the program where the target says where Slurm's are. */
    List<String> named(List<String> words) {
        List<String> named = new ArrayList<>(words);
        if (settings.programs() != null) {
            named.set(0, settings.programs() + "/" + words.getFirst());
        }
        return named;
    }

    /**
     * The bounds of a program.
     *
     * @param mostBytes of its output; where there are more, it has failed
     */
    record Bounds(Duration deadline, int mostBytes) {}

    /** Runs a shell's script with arguments. It works in a directory of the user's, which may hold it up, and nobody else. */
    Said shell(Submitter who, String script, List<String> arguments, ProgramRun.Input input, Bounds bounds) {
        return run(who, scripted(script, arguments), input, bounds, Kind.LATE);
    }

    /** Unpacks into a directory of this machine what a shell's script writes as a tar archive, both as the submitter. */
    Said unpack(Submitter who, Path into, String script, List<String> arguments, Bounds bounds) {
        String mark = mark();
        List<String> unpacking =
                scripted(SharedScripts.UNPACK, List.of(into.toString(), settings.host() == null ? "" : mark));
        return started(who, unpacking, scripted(script, arguments), ProgramRun.NOTHING, bounds, Kind.LATE, mark);
    }

    private static List<String> scripted(String script, List<String> arguments) {
        List<String> words = new ArrayList<>(List.of("/bin/sh", "-c", script, "berth"));
        words.addAll(arguments);
        return words;
    }

    /** What no user's text has in it. */
    private static String mark() {
        return "berth-" + UUID.randomUUID();
    }

    /** Runs a program, of which nothing is believed that stands before its own words: a login shell may greet. */
    private Said run(Submitter who, List<String> words, ProgramRun.Input input, Bounds bounds, Kind late) {
        String mark = mark();
        Said said = started(who, List.of(), words, input, bounds, late, mark);
        return settings.host() == null ? said : said.behind(mark, shown(words));
    }

    /**
     * Runs a program.
     *
     * @param mark a line that comes by ssh before all that the program itself says
     * @param here what runs on this machine in any case and is given the program's words, by ssh where that is on another
     */
    private Said started(
            Submitter who,
            List<String> here,
            List<String> words,
            ProgramRun.Input input,
            Bounds bounds,
            Kind late,
            String mark) {
        Login login = users.login(who.uid()).orElse(null);
        List<String> whole = new ArrayList<>(rights(who));
        whole.addAll(here);
        whole.addAll(settings.host() == null ? words : overSsh(settings.host(), words, mark));
        return new ProgramRun(bounds.deadline(), bounds.mostBytes(), shown(words), late)
                .run(whole, environment(who, login), input);
    }

    /** What a process is started by that is to have a user's rights and no others. */
    private List<String> rights(Submitter who) {
        if (who.uid() == serverUid) {
            return List.of();
        }
        if (serverUid != 0) {
            throw new EngineException(
                    Kind.REFUSED,
                    "the server runs as user " + serverUid + " and cannot hand over a job of " + who.name()
                            + " (user " + who.uid() + ") to Slurm: only a server of root's can do that for others;"
                            + " run it as root, or let " + who.name() + " run a server of their own");
        }
        // A session of its own: at a terminal of the server's it could else write commands for others.
        List<String> words = new ArrayList<>(List.of("/usr/bin/setsid", "-w", "/usr/bin/setpriv"));
        words.add("--reuid=" + who.uid());
        words.add("--regid=" + who.gid());
        words.add(
                who.groups().isEmpty()
                        ? "--clear-groups"
                        : "--groups="
                                + who.groups().stream().map(String::valueOf).collect(Collectors.joining(",")));
        words.addAll(List.of("--inh-caps=-all", "--"));
        return words;
    }

    /** The other side has a shell of its own, which gets each word quoted. */
    private List<String> overSsh(String host, List<String> words, String mark) {
        List<String> remote = new ArrayList<>(List.of("/bin/sh", "-c", MARKED, mark, "/usr/bin/env"));
        variables().forEach((name, value) -> remote.add(name + "=" + value));
        remote.addAll(words);
        return List.of(
                "ssh",
                "-o",
                "BatchMode=yes",
                "-o",
                "ConnectTimeout=" + Math.max(1, settings.deadline().toSeconds() / 2),
                "-T",
                "--",
                host,
                ShellText.quoted(remote));
    }

    private Map<String, String> variables() {
        Map<String, String> variables = new TreeMap<>(OF_ALL);
        variables.putAll(settings.environment());
        return variables;
    }

    /** Nothing of the server's own, which may be secret, and nothing of a job's. */
    private Map<String, String> environment(Submitter who, @Nullable Login login) {
        Map<String, String> environment = variables();
        environment.put("HOME", login == null ? "/" : login.home());
        environment.put("USER", who.name());
        environment.put("LOGNAME", who.name());
        environment.put("SHELL", "/bin/sh");
        environment.putIfAbsent("PATH", PATH);
        return environment;
    }

    private String shown(List<String> words) {
        String program = words.getFirst().substring(words.getFirst().lastIndexOf('/') + 1);
        String name = program.equals("sh") ? "the look at the shared directory" : program;
        return name + " " + place();
    }

    /** A failure of the machine's own that no program caused. */
    static EngineException failure(String what, IOException why) {
        return new EngineException(Kind.FAILING, what + " could not be started: " + why.getMessage(), why);
    }
}
