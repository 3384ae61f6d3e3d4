package dev.berth.server.profile;

import com.sun.security.auth.module.UnixSystem;
import dev.berth.server.config.FileText;
import dev.berth.server.config.Keys;
import dev.berth.server.config.Problems;
import dev.berth.server.config.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The profiles of this server. Each use looks whether their file has changed, and reads it anew if so; where something is
 * wrong with it, the profiles of before count. Safe for any thread.
 */
public final class Profiles {
    private static final Logger LOG = LoggerFactory.getLogger(Profiles.class);

    /**
     * The profiles that count, and how their file is.
     *
     * @param file null where there is to be none
     * @param problems what is wrong with the file as it is now, a line each; none where its profiles count
     */
    public record State(@Nullable Path file, ProfileSet set, List<String> problems) {
        public State {
            problems = List.copyOf(problems);
        }
    }

    private record Loaded(Map<String, Object> stamp, State state) {}

    private final @Nullable Path file;
    private final boolean isRequired;
    private final AtomicReference<@Nullable Loaded> last = new AtomicReference<>();

    private Profiles(@Nullable Path file, boolean isRequired) {
        this.file = file;
        this.isRequired = isRequired;
    }

    /** The profiles of the file that the settings name. Where nobody has said one, it need not be there. */
    public static Profiles of(Settings settings) {
        return new Profiles(settings.find(Keys.PROFILES), settings.isSaid(Keys.PROFILES));
    }

    public State now() {
        if (file == null) {
            return new State(null, ProfileSet.NONE, List.of());
        }
        Loaded before = last.get();
        // Before the text is read: what is written meanwhile is a change for the next look.
        Map<String, Object> stamp = stamp(file);
        if (before != null && before.stamp.equals(stamp)) {
            return before.state;
        }
        State state = read(file, before == null ? ProfileSet.NONE : before.state.set);
        if (last.compareAndSet(before, new Loaded(stamp, state))) {
            log(file, state);
        }
        return state;
    }

    private State read(Path from, ProfileSet before) {
        Problems problems = new Problems();
        Optional<String> text = FileText.read(from, isRequired, new UnixSystem().getUid(), problems);
        ProfileSet read = text.map(it -> ProfileReader.read(from, it, problems)).orElse(ProfileSet.NONE);
        return problems.count() == 0 ? new State(from, read, List.of()) : new State(from, before, problems.lines());
    }

    private static void log(Path file, State state) {
        state.problems().forEach(problem -> LOG.warn("profiles: {}", problem));
        if (!state.problems().isEmpty()) {
            LOG.warn("profiles: {} is not taken; those of before count, which are {}", file, count(state));
        } else if (!state.set().profiles().isEmpty()) {
            LOG.info("profiles: {} has {}", file, count(state));
        }
    }

    private static int count(State state) {
        return state.set().profiles().size();
    }

    /** The marks of a file by which a change is seen, its rights among them (by ctime); none where it is not there. */
    private static Map<String, Object> stamp(Path file) {
        try {
            return Files.readAttributes(file, "unix:ino,size,lastModifiedTime,ctime");
        } catch (IOException none) {
            return Map.of();
        }
    }
}
