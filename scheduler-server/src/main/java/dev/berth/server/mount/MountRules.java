package dev.berth.server.mount;

import dev.berth.core.job.Mount;
import dev.berth.server.config.Keys;
import dev.berth.server.config.Settings;
import dev.berth.server.mount.SubmitterFiles.Kind;
import dev.berth.server.mount.SubmitterFiles.Opened;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Rules for which files may be mounted, beyond the submitter's own rights.
 *
 * @param engineSocket where the engine listens, without links
 * @param closed directories that never are, without links: the server's and the engine's own
 */
public record MountRules(Settings settings, Path engineSocket, List<Path> closed) {
    private static final Path SETTINGS = Path.of("/etc");

    /** Devices, the kernel's switches, sockets of services, the start of the machine, its users and services. */
    private static final List<Path> SYSTEM = Stream.of("/dev", "/proc", "/sys", "/run", "/var/run", "/boot", "/etc")
            .map(Path::of)
            .toList();

    public MountRules {
        closed = Stream.concat(SYSTEM.stream(), closed.stream()).toList();
    }

    void requireEnabled() {
        if (!settings.get(Keys.MOUNTS_ENABLED)) {
            throw new MountException("is not given: mounts are switched off on this server (mounts.enabled); what a job"
                    + " needs must be in its directory or its image");
        }
    }

    /**
     * Whether a file is given read-only.
     *
     * @throws MountException where it is not given at all
     */
    boolean readOnly(Mount wanted, Opened source) {
        boolean engine = source.kind() == Kind.SOCKET && source.real().equals(engineSocket);
        if (!engine || !settings.get(Keys.DOCKER_SOCKET)) {
            requireKind(source, engine);
            requirePlace(source);
        }
        if (!source.usable()) {
            throw new MountException("is closed to you on this machine; a job gets what its submitter may reach");
        }
        return wanted.readOnly()
                // The engine makes what is missing on the way to a mount's target, as root: not where its owner may
                // not.
                || !source.writable()
                || source.real().startsWith(SETTINGS)
                || liesIn(settings.get(Keys.MOUNTS_READ_ONLY), source.real());
    }

    private static void requireKind(Opened source, boolean engine) {
        if (engine) {
            throw new MountException("is the container engine's socket, which is worth root on this machine; only the"
                    + " administrator can allow it (privileges.docker-socket)");
        }
        if (source.kind() != Kind.DIRECTORY && source.kind() != Kind.FILE) {
            throw new MountException("is no directory and no regular file, and devices, sockets and pipes are not"
                    + " mounted; ask for GPUs with --num-gpus");
        }
    }

    private void requirePlace(Opened source) {
        Path real = source.real();
        for (Path place : closed) {
            boolean file = place.equals(SETTINGS) && source.kind() == Kind.FILE;
            if (real.startsWith(place) && !file) {
                throw new MountException("is " + named(real) + ", and nothing in " + place
                        + " is mounted into a job; copy what you need");
            }
            if (place.startsWith(real)) {
                throw new MountException("is " + named(real) + ", which has " + place
                        + " in it, and that is never mounted into a job; name a directory further down");
            }
        }
        if (source.kernels().isPresent()) {
            // A root directory for chroot(1), say, with its /proc.
            throw new MountException(
                    "has " + source.kernels().get() + " in it, one of the kernel's own file systems, and"
                            + " nothing of those is mounted into a job; name a directory further down");
        }
        List<Path> allowed = settings.get(Keys.MOUNTS_ALLOW);
        if (!allowed.isEmpty() && !liesIn(allowed, real)) {
            throw new MountException("is " + named(real) + ", and this server mounts only what is in "
                    + allowed.stream().map(Path::toString).collect(Collectors.joining(", "))
                    + " (mounts.allow)");
        }
    }

    private static String named(Path real) {
        return "'" + real + "'";
    }

    private static boolean liesIn(List<Path> places, Path real) {
        return places.stream().anyMatch(real::startsWith);
    }
}
