package dev.berth.server.runner.docker;

import dev.berth.server.gpu.nvidia.CudaRequirement;
import dev.berth.server.gpu.nvidia.Driver;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Holds images against the driver before a container of a job with GPUs is made of them. Safe for any thread. */
public final class CudaCheck {
    /** An id stands for the same bytes for ever; so many images are in use at a time. */
    private static final int REMEMBERED = 64;

    private final Map<String, Map<String, String>> environments = new LinkedHashMap<>(REMEMBERED, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Map<String, String>> eldest) {
            return size() > REMEMBERED;
        }
    };
    private final ContainerEngine engine;
    private final Supplier<Driver> driver;

    /** A check for the driver of this machine. */
    public CudaCheck(ContainerEngine engine, Supplier<Driver> driver) {
        this.engine = engine;
        this.driver = driver;
    }

    /** Whether anything is known of the driver that images could be held against. */
    public boolean isNeeded() {
        return !driver.get().equals(Driver.UNKNOWN);
    }

    /**
     * The reason why a container with GPUs could not run on this machine's driver.
     *
     * @param image what the job calls it
     * @param variables what the container gets beside the image's own
     */
    public Optional<String> refusal(String image, String imageId, Map<String, String> variables) {
        if (!isNeeded()) {
            return Optional.empty();
        }
        Map<String, String> environment = new HashMap<>(environment(imageId));
        environment.putAll(variables);
        return new CudaRequirement(environment).refusal(image, driver.get());
    }

    private Map<String, String> environment(String imageId) {
        synchronized (environments) {
            Map<String, String> known = environments.get(imageId);
            if (known != null) {
                return known;
            }
        }
        Map<String, String> asked = Map.copyOf(engine.imageEnvironment(imageId));
        synchronized (environments) {
            environments.put(imageId, asked);
        }
        return asked;
    }
}
