package dev.berth.server.runner.docker.engine;

import dev.berth.server.runner.docker.EngineSetup;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The engine's ways to GPUs as {@code GET /info} tells them; docker-java has no words for most of it. */
final class DockerSetup {
    private DockerSetup() {}

    static EngineSetup of(Map<String, ? extends @Nullable Object> info) {
        return new EngineSetup(
                text(info.get("DefaultRuntime")),
                text(info.get("CgroupDriver")),
                number(info.get("CgroupVersion")),
                texts(info.get("CDISpecDirs")).stream().map(Path::of).toList(),
                devices(info.get("DiscoveredDevices")));
    }

    private static String text(@Nullable Object value) {
        return value instanceof String text ? text : "";
    }

    private static int number(@Nullable Object value) {
        return text(value).matches("[0-9]{1,4}") ? Integer.parseInt(text(value)) : 0;
    }

    private static List<String> texts(@Nullable Object value) {
        List<String> texts = new ArrayList<>();
        if (value instanceof List<?> list) {
            list.forEach(item -> texts.add(text(item)));
        }
        texts.removeIf(String::isEmpty);
        return texts;
    }

    /** {@code [{"Source": "cdi", "ID": "nvidia.com/gpu=0"}]}, from API 1.50 on. */
    private static Set<String> devices(@Nullable Object value) {
        Set<String> devices = new HashSet<>();
        if (value instanceof List<?> list) {
            for (Object item : list) {
                if (item instanceof Map<?, ?> device && "cdi".equals(device.get("Source"))) {
                    devices.add(text(device.get("ID")));
                }
            }
        }
        return devices;
    }
}
