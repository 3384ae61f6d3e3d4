package dev.berth.server.runner.target;

import java.util.List;

/**
 * What the configuration says of a target, whichever engine it has.
 *
 * @param name what people call it: {@code berth submit NAME ...}
 * @param atOnce how many jobs the engine has at the same time at most; the others wait here
 * @param users the login names, and the groups with {@code @} before them, who may submit there; empty for everybody
 */
public record TargetSettings(String name, int atOnce, List<String> users) {
    public TargetSettings {
        users = List.copyOf(users);
    }
}
