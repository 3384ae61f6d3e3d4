package dev.berth.server.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings that this server was asked to run with: all of them, each good by itself and together with the others.
 */
public final class Settings {
    private final Values values;

    /** Nothing is put into these values any more. */
    Settings(Values values) {
        this.values = values;
    }

    /**
     * The settings with these {@code section.name=value} assignments and no files or variables.
     *
     * @throws ConfigurationException with every problem there is
     */
    public static Settings of(String... assignments) {
        List<String> options =
                Stream.of(assignments).map(assignment -> "--set=" + assignment).toList();
        Path nowhere = Path.of("/nonexistent");
        return Configuration.read(
                        options, new ProcessEnvironment(Map.of(), Path.of("/"), Path.of("/var/lib/berth"), nowhere, 0))
                .settings();
    }

    /** The value of a setting that has one. */
    public <T> T get(Key<T> key) {
        return values.get(key);
    }

    /** The value of a setting that may have none, null where it has none. */
    public <T> @Nullable T find(Key<T> key) {
        return values.find(key);
    }

    /** A time that may be off, null where it is. */
    public @Nullable Duration unlessOff(Key<Duration> key) {
        Duration time = get(key);
        return time.isZero() ? null : time;
    }

    /** Whether somebody has said a setting's value, and it is not what is built in. */
    public boolean isSaid(Key<?> key) {
        return !(values.origin(key) instanceof Origin.BuiltIn);
    }

    /** The origin of a setting's value, for people. */
    public String source(Key<?> key) {
        return values.origin(key).label();
    }

    /** Whether GPUs are allocated, simulated ones included. */
    public boolean givesGpus() {
        return get(Keys.GPUS) || simulatesGpus();
    }

    public boolean simulatesGpus() {
        return get(Keys.SIMULATE_GPUS) > 0;
    }
}
