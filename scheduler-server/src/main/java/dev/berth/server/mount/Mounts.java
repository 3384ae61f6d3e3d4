package dev.berth.server.mount;

import dev.berth.core.job.Mount;
import dev.berth.core.job.Submitter;
import dev.berth.server.mount.SubmitterFiles.Kind;
import dev.berth.server.mount.SubmitterFiles.Opened;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Gives jobs the paths of the machine that their submitters may reach, and nothing more. Safe for any thread; blocks on
 * the file systems it looks at, half a minute a path at most.
 */
public final class Mounts {
    private final MountRules rules;
    private final SubmitterFiles files;
    private final Optional<MountTable> table;

    private Mounts(MountRules rules, SubmitterFiles files, Optional<MountTable> table) {
        this.rules = rules;
        this.files = files;
        this.table = table;
    }

    /**
     * For a server that runs as root and serves others: it looks with the submitter's rights.
     *
     * @param directory where the server's own mounts are while containers start; made and removed as needed
     */
    public static Mounts asRoot(MountRules rules, Path directory) {
        return new Mounts(rules, SubmitterFiles.ofOthers(), Optional.of(new MountTable(directory)));
    }

    /** For a server that serves its own user alone: what the one may reach, the other may. */
    public static Mounts asUser(MountRules rules) {
        return new Mounts(rules, SubmitterFiles.own(), Optional.empty());
    }

    /** Whether the server runs as root, so that it holds files that are not its user's. */
    public boolean actsForOthers() {
        return table.isPresent();
    }

    /**
     * Looks whether this would be given now. It is looked at again at the start, which is what counts.
     *
     * @return whether it would be read-only
     * @throws MountException where not
     */
    public boolean check(Mount wanted, Submitter who) {
        rules.requireEnabled();
        try (Opened source = files.open(wanted.source(), who)) {
            return rules.readOnly(wanted, source);
        }
    }

    /**
     * Gives mounts to one container, under a name that is always the same for it: one that was created and not started
     * finds them there again.
     *
     * @throws MountException where one is not given
     */
    public Granted grant(String name, List<Mount> mounts, Submitter who) {
        if (mounts.isEmpty()) {
            return Granted.NOTHING;
        }
        rules.requireEnabled();
        return table.isPresent() ? handed(table.get(), name, mounts, who) : plain(mounts, who);
    }

    private Granted plain(List<Mount> mounts, Submitter who) {
        List<Granted.Source> sources = new ArrayList<>();
        for (Mount mount : mounts) {
            sources.add(named(mount, () -> {
                try (Opened source = files.open(mount.source(), who)) {
                    return new Granted.Source(source.real(), mount.target(), rules.readOnly(mount, source));
                }
            }));
        }
        return new Granted(sources, () -> {});
    }

    private Granted handed(MountTable own, String name, List<Mount> mounts, Submitter who) {
        Path place = named(mounts.getFirst(), own::begin);
        boolean isNamed = false;
        try {
            List<Granted.Source> sources = new ArrayList<>();
            for (Mount mount : mounts) {
                String file = Integer.toString(sources.size());
                boolean readOnly = named(mount, () -> hand(own, place.resolve(file), mount, who));
                sources.add(new Granted.Source(own.place(name).resolve(file), mount.target(), readOnly));
            }
            own.name(place, name);
            isNamed = true;
            return new Granted(sources, () -> own.end(own.place(name)));
        } finally {
            if (!isNamed) {
                own.end(place);
            }
        }
    }

    private boolean hand(MountTable own, Path at, Mount mount, Submitter who) {
        try (Opened source = files.open(mount.source(), who)) {
            boolean readOnly = rules.readOnly(mount, source);
            own.add(at, source.file(), source.kind() == Kind.DIRECTORY, readOnly);
            return readOnly;
        }
    }

    /** Does something for a mount, whose name goes before what is in its way. */
    private static <T> T named(Mount mount, Supplier<T> work) {
        try {
            return work.get();
        } catch (MountException e) {
            throw new MountException("the mount of " + mount.source() + ": it " + e.sentence());
        }
    }
}
