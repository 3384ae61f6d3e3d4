package dev.berth.server.profile;

import dev.berth.server.config.Lines;
import dev.berth.server.config.YamlNode;
import dev.berth.server.config.YamlNode.Entries;
import dev.berth.server.config.YamlNode.Entry;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The volumes of a profile, which may be one alone: an {@code emptyDir} of medium {@code Memory} at {@code /dev/shm}. Any
 * other would put something of the machine into the jobs of whoever picks the profile. For one profile.
 */
final class SharedMemory {
    private static final String PLACE = "/dev/shm";
    private static final String ONLY = "; a profile has one volume at most, an emptyDir of medium Memory for " + PLACE
            + ". Directories of the machine are for the submitter to ask for, with -v";

    /**
     * A volume.
     *
     * @param bytes the most it may hold; null where nothing is said
     */
    private record Volume(Entry at, @Nullable Long bytes) {}

    private final Lines lines;
    private final Map<String, Volume> volumes = new LinkedHashMap<>();
    private final Map<String, Entry> mounts = new LinkedHashMap<>();

    SharedMemory(Lines lines) {
        this.lines = lines;
    }

    void volumes(Entry list) {
        for (YamlNode item : lines.items(list)) {
            if (item instanceof Entries volume) {
                volume(list, lines.unique(volume));
            } else {
                lines.refuse(item.line(), list.name(), "an item must be a section with name and emptyDir");
            }
        }
    }

    private void volume(Entry list, List<Entry> fields) {
        String name = null;
        Volume volume = null;
        for (Entry field : fields) {
            switch (field.name()) {
                case "name" -> name = lines.text(field).orElse(null);
                case "emptyDir" -> volume = new Volume(field, size(lines.section(field), field));
                default -> lines.refuse(field.line(), field.name(), "is not taken" + ONLY);
            }
        }
        if (name == null || volume == null) {
            lines.refuse(list.line(), list.name(), "a volume needs a name and an emptyDir" + ONLY);
        } else if (volumes.putIfAbsent(name, volume) != null) {
            lines.refuse(volume.at.line(), list.name(), "there are two volumes of the name " + name);
        }
    }

    private @Nullable Long size(List<Entry> fields, Entry volume) {
        boolean isMemory = false;
        Long bytes = null;
        for (Entry field : fields) {
            String text = lines.text(field).orElse("");
            switch (field.name()) {
                case "medium" -> isMemory = text.equals("Memory");
                case "sizeLimit" -> {
                    Optional<Long> size = Amounts.quantity(text);
                    if (size.isEmpty()) {
                        lines.broken(field, text, Amounts.QUANTITY_RULE);
                    }
                    bytes = size.orElse(null);
                }
                default -> lines.refuse(field.line(), field.name(), "is nothing that an emptyDir has");
            }
        }
        if (!isMemory) {
            lines.refuse(volume.line(), volume.name(), "is not of medium Memory" + ONLY);
        }
        return bytes;
    }

    void mounts(Entry list) {
        for (YamlNode item : lines.items(list)) {
            if (item instanceof Entries mount) {
                mount(list, lines.unique(mount));
            } else {
                lines.refuse(item.line(), list.name(), "an item must be a section with name and mountPath");
            }
        }
    }

    private void mount(Entry list, List<Entry> fields) {
        Entry name = null;
        for (Entry field : fields) {
            String text = lines.text(field).orElse("");
            switch (field.name()) {
                case "name" -> name = field;
                case "mountPath" -> {
                    if (!text.equals(PLACE)) {
                        lines.broken(field, text, "is not taken" + ONLY);
                    }
                }
                default -> lines.refuse(field.line(), field.name(), "is not taken" + ONLY);
            }
        }
        if (name == null) {
            lines.refuse(list.line(), list.name(), "a mount needs the name of its volume");
        } else if (mounts.putIfAbsent(lines.text(name).orElse(""), name) != null) {
            lines.refuse(name.line(), list.name(), "there are two mounts of that volume");
        }
    }

    /**
     * The size of {@code /dev/shm}. One without a size of its own, or with a larger one, is as large as the memory that the
     * job may use, as in Kubernetes ("Volumes", emptyDir).
     *
     * @param memory what the job may use; null for all
     * @return null where the profile says nothing of it
     */
    @Nullable
    Long bytes(@Nullable Long memory) {
        mounts.forEach((name, mount) -> {
            if (!volumes.containsKey(name)) {
                lines.broken(mount, name, "is none of the profile's volumes");
            }
        });
        volumes.forEach((name, volume) -> {
            if (!mounts.containsKey(name)) {
                lines.refuse(volume.at.line(), name, "is a volume that is mounted nowhere; mount it at " + PLACE);
            }
        });
        if (volumes.size() > 1) {
            lines.refuse(
                    volumes.values().stream()
                            .skip(1)
                            .findFirst()
                            .orElseThrow()
                            .at
                            .line(),
                    "volumes",
                    "are two" + ONLY);
        }
        Volume volume = volumes.values().stream().findFirst().orElse(null);
        if (volume == null || volume.bytes == null) {
            return volume == null ? null : memory;
        }
        return memory == null ? volume.bytes : Long.valueOf(Math.min(volume.bytes, memory));
    }
}
