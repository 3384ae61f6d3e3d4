package dev.berth.server.config;

/** What jobs may have that reaches beyond their containers. */
public record PrivilegeSettings(boolean rootJobs, boolean hostNetwork, boolean dockerSocket) {
    static PrivilegeSettings of(Values values) {
        return new PrivilegeSettings(
                values.get(Keys.ROOT_JOBS), values.get(Keys.HOST_NETWORK), values.get(Keys.DOCKER_SOCKET));
    }
}
