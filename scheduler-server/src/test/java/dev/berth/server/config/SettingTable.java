package dev.berth.server.config;

import dev.berth.core.job.PullPolicy;
import dev.berth.server.gpu.nvidia.GpuMode;
import dev.berth.server.gpu.nvidia.NvidiaReaders;
import dev.berth.server.gpu.occupy.ForeignPolicy;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** For every setting a value that it takes, and one that it does not. */
final class SettingTable {
    private static final String NUMBER = "must be a whole number from ";
    private static final String BOOL = "must be true or false";
    private static final String SIZE = "must be a size such as 512m, 8g or 1GiB";
    private static final String DURATION =
            "must be a duration above zero and of at most 3650 days, such as 30s, 2h or 1d12h";
    private static final String PATH = "must be an absolute path, or none";
    private static final String MEMBER = "must be a user's name, or @ and a group's name";
    private static final String NETWORK = "must be the name of a Docker network";

    private SettingTable() {}

    /**
     * One setting.
     *
     * @param good a value that it takes, and what becomes of it
     * @param bad a value that it does not take, and the rule
     */
    record Case(String key, String good, @Nullable Object value, String bad, String rule) {
        @Override
        public String toString() {
            return key;
        }
    }

    static Stream<Case> everySetting() throws Exception {
        return Stream.of(
                new Case("server.data-dir", "/srv/../d", Path.of("/d"), "", PATH),
                new Case("server.socket", "/run/b", Path.of("/run/b"), "", PATH),
                new Case("server.gpus", "true", true, "yes", BOOL),
                new Case("server.workers", "1024", 1024, "0", NUMBER + "1 to 1024, or none"),
                new Case("server.cpu-workers", "0", 0, "-1", NUMBER + "0 to 1024"),
                new Case("server.simulate-gpus", "4", 4, "1.5", NUMBER + "0 to 1024"),
                new Case(
                        "server.bind",
                        "::1",
                        InetAddress.ofLiteral("::1"),
                        "nowhere.invalid",
                        "must be an IP address, such as 127.0.0.1 or ::1"),
                new Case("server.port", "0", 0, "70000", NUMBER + "0 to 65535"),
                new Case(
                        "server.hosts",
                        "Lab.example.org, lab",
                        List.of("lab.example.org", "lab"),
                        "lab:80",
                        "must be a host's name without a port"),
                new Case("server.allow-insecure-bind", "true", true, "1", BOOL),
                new Case("server.max-connections", "64", 64, "0", NUMBER + "1 to 65536"),
                new Case("server.max-connections-per-user", "1", 1, "none", NUMBER + "1 to 65536"),
                new Case(
                        "gpus.mode",
                        "device-request",
                        GpuMode.DEVICE_REQUEST,
                        "legacy",
                        "must be runtime, device-request, cdi or auto"),
                new Case("gpus.mps", "true", true, "yes", BOOL),
                new Case("gpus.mps-pipe", "/run/mps", Path.of("/run/mps"), "", "must be an absolute path"),
                new Case(
                        "jobs.image",
                        "python:3.13=odd",
                        "python:3.13=odd",
                        "a b",
                        "must be the name of an image: at most 255 characters without blanks"),
                new Case("jobs.time-limit", "1d12h", Duration.ofHours(36), "12", DURATION + ", or none"),
                new Case("jobs.max-time-limit", "none", null, "0s", DURATION + ", or none"),
                new Case("jobs.memory", "8g", new ByteSize(8L << 30), "8 g", SIZE + ", or none"),
                new Case(
                        "jobs.cpus",
                        "0.5",
                        new BigDecimal("0.5"),
                        "0",
                        "must be a number above 0 and at most 1024 with up to three decimals, such as 2 or 0.5, or none"),
                new Case("jobs.shm-size", "1GiB", new ByteSize(1 << 30), "0", SIZE + ", or none"),
                new Case("jobs.network", "none", "none", "a/b", NETWORK),
                new Case("jobs.networks", "bridge,lab_1", List.of("bridge", "lab_1"), "bridge,-x", NETWORK),
                new Case("jobs.pull", "always", PullPolicy.ALWAYS, "Always", "must be missing, always or never"),
                new Case("jobs.max-queued-per-user", "5", 5, "", NUMBER + "1 to 1000000000"),
                new Case("jobs.max-spec-bytes", "64k", new ByteSize(64 << 10), "-1", SIZE),
                new Case("jobs.max-queued-bytes-per-user", "1GiB", new ByteSize(1L << 30), "much", SIZE),
                new Case("jobs.stop-grace", "1m30s", Duration.ofSeconds(90), "30s1m", DURATION),
                new Case("jobs.max-stop-grace", "1h", Duration.ofHours(1), "01:00:00", DURATION),
                new Case("jobs.orphan-grace", "2h", Duration.ofHours(2), "-1s", DURATION),
                new Case("jobs.target-look-every", "10s", Duration.ofSeconds(10), "5", DURATION),
                new Case(
                        "access.administrators",
                        "ada,@lab",
                        List.of(new Member("ada", false), new Member("lab", true)),
                        "@",
                        MEMBER),
                new Case("access.readers", "", List.of(), "ada,,grace", MEMBER),
                new Case("access.anonymous", "read", AnonymousAccess.READ, "write", "must be none or read"),
                new Case("page.enabled", "false", false, "no", BOOL),
                new Case("mounts.enabled", "false", false, "no", BOOL),
                new Case(
                        "mounts.allow",
                        "/data,/srv/x/..",
                        List.of(Path.of("/data"), Path.of("/srv")),
                        "data",
                        "must be an absolute path"),
                new Case("mounts.read-only", "/data", List.of(Path.of("/data")), "~/data", "must be an absolute path"),
                new Case("privileges.root-jobs", "false", false, "", BOOL),
                new Case("privileges.host-network", "true", true, "True", BOOL),
                new Case("privileges.docker-socket", "true", true, "on", BOOL),
                new Case("snapshots.max-bytes", "5", new ByteSize(5), "9999999999g", SIZE),
                new Case("snapshots.max-files", "7", 7, "7k", NUMBER + "1 to 1000000000"),
                new Case("snapshots.quota", "2TB", new ByteSize(2L << 40), "-1", SIZE),
                new Case("logs.max-bytes", "10M", new ByteSize(10 << 20), "10 MiB", SIZE),
                new Case("retention.age", "30d", Duration.ofDays(30), "3651d", DURATION + ", or none"),
                new Case("retention.size", "500g", new ByteSize(500L << 30), "all", SIZE + ", or none"),
                new Case("retention.jobs", "1000", 1000, "0", NUMBER + "1 to 1000000000, or none"),
                new Case(
                        "profiles.file",
                        "/srv/p.yaml",
                        Path.of("/srv/p.yaml"),
                        "",
                        "must be an absolute path, or none"),
                new Case("queue.pass-while-pulling", "true", true, "head", BOOL),
                new Case("queue.start-one-by-one", "true", true, "yes", BOOL),
                new Case("queue.drop-unfit", "true", true, "all", BOOL),
                new Case("booking.cores", "false", false, "some", BOOL),
                new Case("booking.memory", "48g", new ByteSize(48L << 30), "all", SIZE + ", or none"),
                new Case("backups.keep", "0", 0, "1001", NUMBER + "0 to 1000"),
                new Case(
                        "gpus.reader",
                        "nvidia-smi",
                        NvidiaReaders.Way.NVIDIA_SMI,
                        "NVML",
                        "must be auto, nvml or nvidia-smi"),
                new Case("gpus.library", "/opt/libnvidia-ml.so.1", Path.of("/opt/libnvidia-ml.so.1"), "", PATH),
                new Case("gpus.sample-every", "5s", Duration.ofSeconds(5), "0", DURATION + ", or off"),
                new Case("gpus.idle-warning", "off", Duration.ZERO, "never", DURATION + ", or off"),
                new Case("backups.every", "12h", Duration.ofHours(12), "0", DURATION),
                new Case("gpus.safe-gpu-lock", "false", false, "no", BOOL),
                new Case(
                        "gpus.foreign",
                        "memory:300",
                        new ForeignPolicy.Memory(300),
                        "memory:300M",
                        "must be " + ForeignPolicy.RULE),
                new Case("gpus.placeholder", "true", true, "1", BOOL),
                new Case("gpus.clean-within", "30s", Duration.ofSeconds(30), "0", DURATION),
                new Case("gpus.shares", "4", 4, "65", NUMBER + "1 to 64"),
                new Case(
                        "gpus.shares-of",
                        "0=4,GPU-1a=2",
                        List.of(new GpuWord("0", "4"), new GpuWord("GPU-1a", "2")),
                        "0=many",
                        "must be a GPU's index or UUID, = and a number from 1 to 99, such as 0=4"),
                new Case(
                        "gpus.labels",
                        "0=fast,1=slow",
                        List.of(new GpuWord("0", "fast"), new GpuWord("1", "slow")),
                        "fast",
                        "must be a GPU's index or UUID, = and a word, such as 0=fast"),
                new Case("notify.enabled", "false", false, "off", BOOL),
                new Case("notify.commands", "false", false, "off", BOOL),
                new Case("notify.mail-port", "25", 25, "0", NUMBER + "1 to 65535"),
                new Case("notify.mail-security", "tls", MailSecurity.TLS, "ssl", "must be starttls, tls or none"),
                new Case(
                        "notify.mail-from",
                        "berth@example.org",
                        "berth@example.org",
                        "Berth <b@example.org>",
                        "must be a mail address, or none"),
                new Case("notify.receivers", "/etc/berth/r", Path.of("/etc/berth/r"), "", PATH),
                new Case(
                        "notify.allow",
                        "Chat.example.org,10.0.0.0/8,[fd00::/8]:443",
                        List.of(
                                new AllowedHost("chat.example.org", null, 0),
                                new AllowedHost("10.0.0.0/8", InetAddress.ofLiteral("10.0.0.0"), 8),
                                new AllowedHost("fd00::/8", InetAddress.ofLiteral("fd00::"), 8, 443)),
                        "10.0.0.0/33",
                        "must be a host's name, an IP address, or a network such as 10.0.0.0/8, each also with one port"
                                + " from 1 to 65535, as in chat.example.org:8443 or [fd00::/8]:443"),
                new Case("gpus.max-failed-starts", "5", 5, "0", NUMBER + "1 to 1000"));
    }
}
