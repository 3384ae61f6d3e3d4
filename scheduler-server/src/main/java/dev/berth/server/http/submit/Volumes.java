package dev.berth.server.http.submit;

import dev.berth.core.job.Mount;
import dev.berth.core.job.Submitter;
import dev.berth.core.text.Utf8;
import dev.berth.server.code.UserDatabase;
import dev.berth.server.http.exchange.ApiException;
import dev.berth.server.http.exchange.PrintableText;
import dev.berth.server.mount.MountException;
import dev.berth.server.mount.Mounts;
import dev.berth.server.runner.docker.ContainerPlans;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The mounts that a submitter wants, as Docker writes them, checked as far as they can be before the start. */
public record Volumes(Mounts mounts) {
    private static final String FIELD = "volumes";
    private static final int MAX_VOLUMES = 32;
    private static final int MAX_BYTES = 16 * 1024;
    private static final String FORM =
            "must be SOURCE:TARGET, SOURCE:TARGET:ro or SOURCE:TARGET:rw with absolute paths";

    List<Mount> check(List<@Nullable String> volumes, Submitter who) {
        if (volumes.size() > MAX_VOLUMES) {
            throw ApiException.field(
                    FIELD,
                    volumes.size() + " mounts",
                    "must be at most " + MAX_VOLUMES + "; mount their parent instead");
        }
        List<Mount> checked = new ArrayList<>();
        for (@Nullable String volume : volumes) {
            Mount mount = parsed(volume);
            requireTarget(mount, checked, UserDatabase.home(who));
            requireSource(mount, who);
            checked.add(mount);
        }
        requireShort(checked);
        return checked;
    }

    /**
     * Refuses mounts that are too long together. They stand in every list; thirty-two of the longest paths would be a
     * quarter of a megabyte a job.
     */
    private static void requireShort(List<Mount> mounts) {
        long bytes = mounts.stream()
                .mapToLong(mount -> Utf8.length(mount.source()) + Utf8.length(mount.target()))
                .sum();
        if (bytes > MAX_BYTES) {
            throw ApiException.field(
                    FIELD,
                    bytes + " bytes",
                    "must have paths of at most " + MAX_BYTES + " bytes in UTF-8 in all; mount their parent instead");
        }
    }

    /** Throws where a mount that was given once would not be given now. */
    void recheck(List<Mount> given, Submitter who) {
        given.forEach(mount -> requireSource(mount, who));
    }

    private static Mount parsed(@Nullable String volume) {
        String text = volume == null ? "" : volume;
        String[] parts = text.split(":", -1);
        boolean readOnly = parts.length == 3 && parts[2].equals("ro");
        boolean known = parts.length == 2 || readOnly || (parts.length == 3 && parts[2].equals("rw"));
        if (!known || !parts[0].startsWith("/") || !parts[1].startsWith("/")) {
            throw refused(text, FORM);
        }
        for (int i = 0; i < 2; i++) {
            parts[i] = ContainerPath.trimmed(parts[i]);
            Optional<String> problem = ContainerPath.problem(parts[i]);
            if (problem.isPresent()) {
                throw refused(text, problem.get());
            }
        }
        return new Mount(parts[0], parts[1], readOnly);
    }

    /**
     * Refuses a target that is taken, or lies in another. A mount in another would have the engine make a directory in
     * the other's source, as root.
     */
    private static void requireTarget(Mount mount, List<Mount> others, String home) {
        String target = mount.target();
        List<String> own = List.of(
                ContainerPlans.WORKING_DIRECTORY,
                ContainerPlans.OUTPUT_DIRECTORY,
                ContainerPlans.CHECKPOINT_DIRECTORY,
                home);
        ContainerPath.closed(target, own).ifPresent(rule -> {
            throw refused(mount.toString(), "target " + target + " " + rule);
        });
        for (Mount other : others) {
            if (ContainerPath.isAtOrBelow(target, other.target())
                    || ContainerPath.isAtOrBelow(other.target(), target)) {
                throw refused(
                        mount.toString(),
                        "target " + target + " meets that of " + other + "; mounts lie beside each other, not in each"
                                + " other");
            }
        }
    }

    private void requireSource(Mount mount, Submitter who) {
        try {
            boolean _ = mounts.check(mount, who);
        } catch (MountException e) {
            throw refused(mount.toString(), "source " + mount.source() + " " + e.sentence());
        }
    }

    private static ApiException refused(String volume, String rule) {
        return ApiException.field(FIELD, PrintableText.of(volume), rule);
    }
}
