package dev.berth.server.policy;

/**
 * What is worth more than an ordinary job, and therefore somebody's decision.
 *
 * @param rootJobs whether root's jobs run, as root without capabilities
 * @param hostNetwork whether a job may ask for the machine's own network
 * @param dockerSocket whether a job may have the engine's socket mounted, which makes its submitter root
 */
public record PrivilegePolicy(boolean rootJobs, boolean hostNetwork, boolean dockerSocket) {
    public static final PrivilegePolicy BUILT_IN = new PrivilegePolicy(true, false, false);
}
