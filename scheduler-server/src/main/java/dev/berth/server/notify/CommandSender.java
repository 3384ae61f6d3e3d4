package dev.berth.server.notify;

import dev.berth.server.cgroup.LimitedCgroup;
import dev.berth.server.linux.Login;
import dev.berth.server.notify.Receiver.Command;
import dev.berth.server.notify.Sent.Arrived;
import dev.berth.server.notify.Sent.Failed;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs commands with the rights of the users whose wish they are, each in a cgroup of its own with limits. Whatever is in that when
 * the command has ended, or its time is over, is ended too. Safe for any thread.
 */
final class CommandSender implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CommandSender.class);

    private static final int MAX_WORDS = 200;
    private static final int MAX_ERROR_BYTES = 4 << 10;
    private static final Duration AFTER_END = Duration.ofSeconds(2);

    /** A shell's own words for what is no program, and for what is not there (POSIX.1, sh, "Exit Status"). */
    private static final Set<Integer> FINAL = Set.of(126, 127);

    private static final int KILLED = 137;

    /**
     * Run with the server's rights: the process enters the cgroups, and becomes the user's program. That the kernel ends it sooner
     * than the server is of no weight, so that it need not succeed.
     */
    private static final String ENTER =
            "for file; do [ \"$file\" = -- ] && break; shift; echo $$ > \"$file\" || exit 125; done; shift;"
                    + " { echo 500 > /proc/self/oom_score_adj; } 2> /dev/null; exec \"$@\"";

    /** Run with the user's rights. */
    private static final String BEGIN =
            "umask 022; cd -- \"$HOME\" 2> /dev/null || cd /; unset OLDPWD; export PWD; exec /bin/sh -c \"$1\"";

    private final CommandRules rules;
    private final Duration within;
    private final Set<LimitedCgroup> running = ConcurrentHashMap.newKeySet();
    private volatile boolean isClosed;

    /** A sender that lets a command run so long. */
    CommandSender(CommandRules rules, Duration within) {
        this.rules = rules;
        this.within = within;
    }

    /** Runs a user's command with a notice at its standard input, and waits until all of it has ended. */
    Sent send(Command command, long uid, String key, Content content, boolean isRepeated) {
        return switch (rules.answer(uid)) {
            case CommandRules.Answer.MayNot no -> new Failed(no.rule(), true, Duration.ZERO);
            case CommandRules.Answer.May may -> {
                try {
                    yield run(may.login(), command, key, content, isRepeated);
                } catch (IOException e) {
                    LOG.warn("a command of user {} could not be started: {}", uid, e.toString());
                    yield Failed.of("it could not be started; the server's log says why");
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    yield Failed.of("the server ends");
                }
            }
        };
    }

    private Sent run(Login login, Command command, String key, Content content, boolean isRepeated)
            throws IOException, InterruptedException {
        LimitedCgroup cgroup = rules.cgroups().make();
        running.add(cgroup);
        try {
            if (isClosed) {
                return Failed.of("the server ends");
            }
            ProcessBuilder builder = new ProcessBuilder(words(login, command, cgroup.entrances()))
                    .directory(Path.of("/").toFile())
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD);
            builder.environment().clear();
            builder.environment().putAll(environment(login, key, content, isRepeated));
            Process process = builder.start();
            String input = Message.of(Form.JSON, key, content, isRepeated).body();
            Thread _ = Thread.startVirtualThread(() -> write(process.getOutputStream(), input));
            CompletableFuture<String> error = CompletableFuture.supplyAsync(
                    () -> firstLine(process.getErrorStream()), Thread::startVirtualThread);
            boolean hasEnded = process.waitFor(within.toMillis(), TimeUnit.MILLISECONDS);
            // What it has left running may hold the other end of what is read.
            end(cgroup);
            boolean _ = process.waitFor(AFTER_END.toMillis(), TimeUnit.MILLISECONDS);
            String said = error.completeOnTimeout("", AFTER_END.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
            return hasEnded ? ended(process.exitValue(), said) : Failed.of(late());
        } finally {
            end(cgroup);
            running.remove(cgroup);
        }
    }

    private String late() {
        return "it had not ended after " + within.toSeconds() + " seconds, and was ended";
    }

    private static Sent ended(int code, String said) {
        if (code == 0) {
            return new Arrived("it ended with code 0");
        }
        String sentence = "it ended with code " + code
                + (code == KILLED ? " (killed; it may have taken more memory than a command may)" : "")
                + (said.isBlank() ? "" : ": " + OneLine.of(said.strip(), MAX_WORDS));
        return new Failed(sentence, FINAL.contains(code), Duration.ZERO);
    }

    private static void end(LimitedCgroup cgroup) {
        if (!cgroup.clear()) {
            LOG.warn("{}, of a command, cannot be emptied: what is in it does not end", cgroup);
        }
    }

    private List<String> words(Login login, Command command, List<Path> entrances) {
        List<String> words = new ArrayList<>(List.of("/bin/sh", "-c", ENTER, "berth"));
        entrances.forEach(file -> words.add(file.toString()));
        // A session of its own: at a terminal of the server's it could else write commands for others.
        words.addAll(List.of("--", "/usr/bin/setsid"));
        if (rules.serverUid() == 0) {
            words.addAll(List.of(
                    "/usr/bin/setpriv",
                    "--reuid=" + login.uid(),
                    "--regid=" + login.gid(),
                    "--init-groups",
                    "--inh-caps=-all",
                    "--"));
        }
        words.addAll(List.of("/bin/sh", "-c", BEGIN, "sh", command.line()));
        return words;
    }

    /** No text of users is in it, which a script could take for a part of itself. */
    private static Map<String, String> environment(Login login, String key, Content content, boolean isRepeated) {
        return Map.ofEntries(
                Map.entry("HOME", login.home()),
                Map.entry("USER", login.name()),
                Map.entry("LOGNAME", login.name()),
                Map.entry("SHELL", login.shellOrUsual()),
                Map.entry("PATH", "/usr/local/bin:/usr/bin:/bin"),
                Map.entry("LANG", "C.UTF-8"),
                Map.entry("BERTH_NOTICE_ID", key),
                Map.entry("BERTH_NOTICE_REPEATED", Boolean.toString(isRepeated)),
                Map.entry("BERTH_MOMENT", content.moment()),
                Map.entry("BERTH_JOB_ID", content.number()),
                Map.entry("BERTH_STATE", content.state()),
                // Nobody has allocated it a GPU.
                Map.entry("CUDA_VISIBLE_DEVICES", ""),
                Map.entry("NVIDIA_VISIBLE_DEVICES", "void"));
    }

    private static void write(OutputStream to, String text) {
        try (to) {
            to.write(text.getBytes(StandardCharsets.UTF_8));
            to.write('\n');
        } catch (IOException e) {
            LOG.debug("a command has not read its notice", e);
        }
    }

    /** Reads it all, so that the command is not held up by what nobody reads. */
    private static String firstLine(InputStream from) {
        try (from) {
            String first = new String(from.readNBytes(MAX_ERROR_BYTES), StandardCharsets.UTF_8);
            from.transferTo(OutputStream.nullOutputStream());
            return first.lines().filter(line -> !line.isBlank()).findFirst().orElse("");
        } catch (IOException e) {
            return "";
        }
    }

    /** Ends what runs, and runs no more. */
    @Override
    public void close() {
        isClosed = true;
        running.forEach(CommandSender::end);
    }
}
