package dev.berth.cli.launch;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Prefix of a server's command line where root starts it, so that the server keeps of root's rights those it needs
 * (docs/operations.md has each) and gets no more: a process that runs already can give up its own thread's rights
 * alone, and a Java virtual machine has many threads, so they are taken before it begins.
 */
final class LeastRights {
    /** As setpriv(1) writes them; {@code bin/berth} and the systemd unit have the same. */
    static final List<String> CAPABILITIES =
            List.of("chown", "dac_override", "fowner", "kill", "setgid", "setuid", "sys_admin", "sys_ptrace");

    private static final long PATIENCE_SECONDS = 10;

    private LeastRights() {}

    /** Empty where another user than root starts it, and where the tools for it are not there or not able to. */
    static List<String> words() {
        List<String> words = new ArrayList<>(List.of("prlimit", "--core=0:0", "setpriv"));
        words.add("--bounding-set=-all,+" + String.join(",+", CAPABILITIES));
        words.addAll(List.of("--inh-caps=-all", "--ambient-caps=-all", "--no-new-privs"));
        return isRoot() && works(words) ? words : List.of();
    }

    private static boolean isRoot() {
        try {
            return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
        } catch (IOException | UnsupportedOperationException unknown) {
            return false;
        }
    }

    /** Small systems have a setpriv that knows less, and a container may not be allowed to. */
    private static boolean works(List<String> words) {
        List<String> trial = new ArrayList<>(words);
        trial.add("true");
        try {
            Process process = new ProcessBuilder(trial)
                    .redirectInput(new File("/dev/null"))
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                return false;
            }
            return process.exitValue() == 0;
        } catch (IOException missing) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
