package dev.berth.server;

import dev.berth.server.config.AccessSettings;
import dev.berth.server.config.ByteSize;
import dev.berth.server.config.JobSettings;
import dev.berth.server.config.Member;
import dev.berth.server.config.MountSettings;
import dev.berth.server.config.Origins;
import dev.berth.server.config.PrivilegeSettings;
import dev.berth.server.config.ServerSettings;
import dev.berth.server.config.Settings;
import dev.berth.server.config.TlsSettings;
import dev.berth.server.http.HttpLimits;
import dev.berth.server.http.HttpSettings;
import dev.berth.server.http.HttpSettings.RoleNames;
import dev.berth.server.http.TlsFiles;
import dev.berth.server.policy.JobDefaults;
import dev.berth.server.policy.JobPolicy;
import dev.berth.server.policy.MountPolicy;
import dev.berth.server.policy.PrivilegePolicy;
import dev.berth.server.policy.QueueBounds;
import java.math.BigDecimal;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the configuration says, as the rooms understand it. */
final class Policies {
    private static final int MILLI = 1_000;

    /** By the name of each default, where it stands in the configuration. */
    private static final Map<String, String> KEYS = Map.of(
            "image", "jobs.image",
            "pull", "jobs.pull",
            "cpuMilli", "jobs.cpus",
            "memoryBytes", "jobs.memory",
            "shmBytes", "jobs.shm-size",
            "network", "jobs.network",
            "timeLimit", "jobs.time-limit",
            "maxTimeLimit", "jobs.max-time-limit");

    private Policies() {}

    static JobPolicy of(Settings settings) {
        PrivilegeSettings privileges = settings.privileges();
        return new JobPolicy(
                defaults(settings.jobs()),
                mounts(settings.mounts()),
                new PrivilegePolicy(privileges.rootJobs(), privileges.hostNetwork(), privileges.dockerSocket()),
                sources(settings.origins()));
    }

    static HttpSettings listening(Settings settings) {
        ServerSettings server = settings.server();
        AccessSettings access = settings.access();
        return new HttpSettings(
                server.socket(),
                new InetSocketAddress(server.bind(), server.port()),
                server.hosts(),
                tls(settings.tls()),
                server.allowInsecureBind(),
                new RoleNames(names(access.administrators()), names(access.readers())),
                HttpLimits.of(server.maxConnections(), server.maxConnectionsPerUser()));
    }

    private static List<String> names(List<Member> members) {
        return members.stream().map(Member::toString).toList();
    }

    /** Both of a pair are there or neither: the configuration has seen to that. */
    private static @Nullable TlsFiles tls(TlsSettings tls) {
        Path store = tls.keyStore();
        Path password = tls.keyStorePasswordFile();
        if (store != null && password != null) {
            return new TlsFiles.KeyStoreFile(store, password);
        }
        Path certificate = tls.certificate();
        Path key = tls.key();
        return certificate != null && key != null ? new TlsFiles.PemFiles(certificate, key) : null;
    }

    private static JobDefaults defaults(JobSettings jobs) {
        return new JobDefaults(
                jobs.image(),
                jobs.timeLimit(),
                jobs.maxTimeLimit(),
                bytes(jobs.memory()),
                milli(jobs.cpus()),
                bytes(jobs.shmSize()),
                jobs.network(),
                jobs.networks(),
                jobs.pull(),
                new QueueBounds(
                        jobs.maxQueuedPerUser(),
                        jobs.maxSpecBytes().bytes(),
                        jobs.maxQueuedBytesPerUser().bytes()));
    }

    private static @Nullable Long bytes(@Nullable ByteSize size) {
        return size == null ? null : size.bytes();
    }

    private static @Nullable Integer milli(@Nullable BigDecimal cpus) {
        return cpus == null ? null : cpus.multiply(BigDecimal.valueOf(MILLI)).intValueExact();
    }

    private static MountPolicy mounts(MountSettings mounts) {
        List<Path> allow = mounts.allow();
        return new MountPolicy(mounts.enabled(), allow.isEmpty() ? List.of(Path.of("/")) : allow, mounts.readOnly());
    }

    private static Map<String, String> sources(Origins origins) {
        Map<String, String> sources = new HashMap<>();
        KEYS.forEach((name, key) -> sources.put(name, origins.of(key).label()));
        return sources;
    }
}
