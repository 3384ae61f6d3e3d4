package dev.berth.server.config;

import java.util.Map;
import java.util.Objects;

/** Where the value of each setting came from. */
public record Origins(Map<String, Origin> byKey) {
    public Origins {
        byKey = Map.copyOf(byKey);
    }

    /** Where the setting of this name has its value from; the name must be one of a setting. */
    public Origin of(String key) {
        return Objects.requireNonNull(byKey.get(key), () -> key + " is no setting");
    }
}
