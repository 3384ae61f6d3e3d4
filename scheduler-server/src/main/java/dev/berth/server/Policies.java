package dev.berth.server;

import dev.berth.server.config.ByteSize;
import dev.berth.server.config.Key;
import dev.berth.server.config.Keys;
import dev.berth.server.config.Member;
import dev.berth.server.config.Settings;
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
    private static final Map<String, Key<?>> KEYS = Map.of(
            "image", Keys.JOB_IMAGE,
            "pull", Keys.PULL,
            "cpuMilli", Keys.CPUS,
            "memoryBytes", Keys.MEMORY,
            "shmBytes", Keys.SHM_SIZE,
            "network", Keys.JOB_NETWORK,
            "timeLimit", Keys.TIME_LIMIT,
            "maxTimeLimit", Keys.MAX_TIME_LIMIT);

    private Policies() {}

    static JobPolicy of(Settings settings) {
        return new JobPolicy(
                defaults(settings),
                mounts(settings),
                new PrivilegePolicy(
                        settings.get(Keys.ROOT_JOBS),
                        settings.get(Keys.HOST_NETWORK),
                        settings.get(Keys.DOCKER_SOCKET)),
                sources(settings));
    }

    static HttpSettings listening(Settings settings) {
        return new HttpSettings(
                settings.get(Keys.SOCKET),
                new InetSocketAddress(settings.get(Keys.BIND), settings.get(Keys.PORT)),
                settings.get(Keys.HOSTS),
                tls(settings),
                settings.get(Keys.ALLOW_INSECURE_BIND),
                new RoleNames(names(settings.get(Keys.ADMINISTRATORS)), names(settings.get(Keys.READERS))),
                HttpLimits.of(settings.get(Keys.MAX_CONNECTIONS_ALL), settings.get(Keys.MAX_CONNECTIONS_PER_USER)));
    }

    private static List<String> names(List<Member> members) {
        return members.stream().map(Member::toString).toList();
    }

    /** Both of a pair are there or neither: the configuration has seen to that. */
    private static @Nullable TlsFiles tls(Settings settings) {
        Path store = settings.find(Keys.KEY_STORE);
        Path password = settings.find(Keys.KEY_STORE_PASSWORD_FILE);
        if (store != null && password != null) {
            return new TlsFiles.KeyStoreFile(store, password);
        }
        Path certificate = settings.find(Keys.CERTIFICATE);
        Path key = settings.find(Keys.CERTIFICATE_KEY);
        return certificate != null && key != null ? new TlsFiles.PemFiles(certificate, key) : null;
    }

    private static JobDefaults defaults(Settings settings) {
        return new JobDefaults(
                settings.get(Keys.JOB_IMAGE),
                settings.find(Keys.TIME_LIMIT),
                settings.find(Keys.MAX_TIME_LIMIT),
                bytes(settings.find(Keys.MEMORY)),
                milli(settings.find(Keys.CPUS)),
                bytes(settings.find(Keys.SHM_SIZE)),
                settings.get(Keys.JOB_NETWORK),
                settings.get(Keys.NETWORKS),
                settings.get(Keys.PULL),
                new QueueBounds(
                        settings.get(Keys.MAX_QUEUED_PER_USER),
                        settings.get(Keys.MAX_SPEC_BYTES).bytes(),
                        settings.get(Keys.MAX_QUEUED_BYTES_PER_USER).bytes()));
    }

    private static @Nullable Long bytes(@Nullable ByteSize size) {
        return size == null ? null : size.bytes();
    }

    private static @Nullable Integer milli(@Nullable BigDecimal cpus) {
        return cpus == null ? null : cpus.multiply(BigDecimal.valueOf(MILLI)).intValueExact();
    }

    private static MountPolicy mounts(Settings settings) {
        List<Path> allow = settings.get(Keys.MOUNTS_ALLOW);
        return new MountPolicy(
                settings.get(Keys.MOUNTS_ENABLED),
                allow.isEmpty() ? List.of(Path.of("/")) : allow,
                settings.get(Keys.MOUNTS_READ_ONLY));
    }

    private static Map<String, String> sources(Settings settings) {
        Map<String, String> sources = new HashMap<>();
        KEYS.forEach((name, key) -> sources.put(name, settings.source(key)));
        return sources;
    }
}
