package dev.berth.server.mount;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.security.auth.module.UnixSystem;
import dev.berth.core.job.Mount;
import dev.berth.core.job.Submitter;
import dev.berth.server.config.Settings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that runs as root, and users who are not: real files, the kernel's own judgement. */
class MountsTest {
    private static final long EXTRA_GROUP = 34_567;
    private static final Submitter ADA = new Submitter(12_345, 23_456, List.of(EXTRA_GROUP), "ada");
    private static final Submitter ROOT = new Submitter(0, 0, List.of(), "root");

    @TempDir
    private Path directory;

    private Path table;
    private Path data;

    @BeforeAll
    static void requireRoot() {
        assertThat(new UnixSystem().getUid())
                .as("these tests act as other users, which only root may do: run them as root")
                .isZero();
    }

    @BeforeEach
    void open() throws IOException {
        allow(directory, "rwxr-xr-x");
        table = Path.of("/run/berth-mounts-test-" + UUID.randomUUID());
        data = Files.createDirectory(directory.resolve("data"));
        allow(data, "rwxr-xr-x");
        give(data, ADA);
    }

    @AfterEach
    void leaveNothingBehind() throws IOException {
        assertThat(table).doesNotExist();
        assertThat(Files.readString(Path.of("/proc/self/mountinfo"))).doesNotContain(table.toString());
    }

    private static void allow(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }

    private static void give(Path path, Submitter who) throws IOException {
        Files.setAttribute(path, "unix:uid", (int) who.uid(), LinkOption.NOFOLLOW_LINKS);
        Files.setAttribute(path, "unix:gid", (int) who.gid(), LinkOption.NOFOLLOW_LINKS);
    }

    private Path secret() throws IOException {
        Path secret = Files.createDirectory(directory.resolve("secret"));
        Files.writeString(secret.resolve("note"), "hush");
        allow(secret, "rwx------");
        return secret;
    }

    private Mounts mounts(Settings settings) {
        return Mounts.asRoot(new MountRules(settings, directory.resolve("engine"), List.of()), table);
    }

    private boolean readOnly(Path source, Submitter who) {
        return mounts(Settings.of()).check(new Mount(source.toString(), "/data", false), who);
    }

    private void refused(Path source, String sentence) {
        assertThatThrownBy(() -> readOnly(source, ADA))
                .isInstanceOf(MountException.class)
                .hasMessageContaining(sentence);
        Mounts mounts = mounts(Settings.of());
        Mount mount = new Mount(source.toString(), "/data", false);
        assertThatThrownBy(() -> mounts.grant("one", List.of(mount), ADA))
                .isInstanceOf(MountException.class)
                .hasMessageContaining("the mount of " + source + ": it ")
                .hasMessageContaining(sentence);
    }

    @Test
    void whatTheSubmitterOwnsIsGivenWritable() {
        assertThat(readOnly(data, ADA)).isFalse();
    }

    @Test
    void whatTheSubmitterMayOnlyReadIsGivenReadOnly() throws IOException {
        give(data, ROOT);
        assertThat(readOnly(data, ADA)).isTrue();
        assertThat(readOnly(data, ROOT)).isFalse();
    }

    @Test
    void aGroupOfTheSubmittersCounts() throws IOException {
        Path shared = secret();
        refused(shared, "is closed to you on this machine");
        Files.setAttribute(shared, "unix:gid", (int) EXTRA_GROUP);
        allow(shared, "rwxrwx---");
        assertThat(readOnly(shared, ADA)).isFalse();
        assertThatThrownBy(() -> readOnly(shared, new Submitter(ADA.uid(), ADA.gid(), List.of(), "ada")))
                .hasMessageContaining("is closed to you");
    }

    @Test
    void anothersDirectoryIsNotGivenWhateverTheWay() throws IOException {
        Path secret = secret();
        Path link = Files.createSymbolicLink(data.resolve("link"), secret);
        refused(secret, "is closed to you on this machine");
        refused(link, "is closed to you on this machine");
        refused(secret.resolve("note"), "is out of reach for ada");
        refused(link.resolve("note"), "is out of reach for ada");
        refused(secret.resolve("missing"), "is out of reach for ada");
        assertThat(readOnly(secret, ROOT)).isFalse();
    }

    @Test
    void whatIsNotThereIsNotMade() {
        refused(directory.resolve("missing"), "is not there; a source that is missing is not made");
        refused(data.resolve("a/b"), "is not there");
        assertThat(data).isEmptyDirectory();
    }

    @Test
    void linksInARingAreLeft() throws IOException {
        Path ring = Files.createSymbolicLink(data.resolve("ring"), data.resolve("ring"));
        refused(ring, "leads through too many links");
    }

    @Test
    void onlyDirectoriesAndFilesAreGiven() throws Exception {
        Path pipe = directory.resolve("pipe");
        assertThat(new ProcessBuilder("mkfifo", "-m", "666", pipe.toString())
                        .start()
                        .waitFor())
                .isZero();
        refused(pipe, "no directory and no regular file");
        Path device = directory.resolve("device");
        assertThat(new ProcessBuilder("mknod", "-m", "666", device.toString(), "c", "1", "3")
                        .start()
                        .waitFor())
                .isZero();
        refused(device, "devices, sockets and pipes are not mounted");
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(directory.resolve("socket")));
            allow(directory.resolve("socket"), "rw-rw-rw-");
            refused(directory.resolve("socket"), "devices, sockets and pipes are not mounted");
        }
    }

    @Test
    void theEnginesSocketIsTheAdministratorsToGive() throws Exception {
        Path path = directory.resolve("engine");
        try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(path));
            allow(path, "rw-------");
            refused(path, "worth root on this machine; only the administrator can allow it (privileges.docker-socket)");
            Mounts lax =
                    Mounts.asRoot(new MountRules(Settings.of("privileges.docker-socket=true"), path, List.of()), table);
            Mount mount = new Mount(path.toString(), "/data", false);
            assertThatThrownBy(() -> lax.check(mount, ADA)).hasMessageContaining("is closed to you");
            allow(path, "rw-rw-rw-");
            assertThat(lax.check(mount, ADA)).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/dev",
                "/dev/shm",
                "/proc",
                "/proc/self",
                "/sys",
                "/run",
                "/var/run",
                "/boot",
                "/etc",
                "/var"
            })
    void theSystemsOwnPlacesAreNotGiven(String place) throws IOException {
        Path source = Path.of(place);
        assertThatThrownBy(() -> readOnly(source, ROOT)).hasMessageContaining("mounted into a job");
        Path link = Files.createSymbolicLink(data.resolve("link"), source);
        assertThatThrownBy(() -> readOnly(link, ROOT)).hasMessageContaining("mounted into a job");
    }

    /** Links of /proc lead to what a process has open, past all directories on the way; root may follow everybody's. */
    @Test
    void aLinkToAProcessesFilesLeadsNowhere() throws Exception {
        Path inner = Files.createDirectory(secret().resolve("inner"));
        Path file = Files.writeString(inner.resolve("file"), "hush");
        allow(inner, "rwxr-xr-x");
        allow(file, "rw-r--r--");
        Process victim = new ProcessBuilder("sleep", "60")
                .directory(inner.toFile())
                .redirectInput(file.toFile())
                .start();
        try {
            String process = "/proc/" + victim.pid();
            Path own = data.resolve("link");
            for (String way : List.of(
                    process + "/cwd",
                    process + "/root" + inner,
                    process + "/fd/0",
                    process + "/cwd/file",
                    "/proc/self/root" + inner,
                    "/dev/fd/0")) {
                refusedAsALinkOfProc(Path.of(way));
                Files.createSymbolicLink(own, Path.of(way));
                refusedAsALinkOfProc(own);
                Files.delete(own);
            }
        } finally {
            victim.destroyForcibly().waitFor();
        }
    }

    /** By the kernel's rule for such links, or for want of rights to the process before that. */
    private void refusedAsALinkOfProc(Path source) {
        assertThatThrownBy(() -> readOnly(source, ADA))
                .isInstanceOf(MountException.class)
                .hasMessageMatching("(?s).*(through one of /proc to a process's files|is out of reach for ada).*");
    }

    @Test
    void theKernelsFileSystemsAreNotGivenWhereverTheyAreMounted() throws Exception {
        Path chroot = data.resolve("chroot");
        Path root = Files.createDirectories(chroot.resolve("proc"));
        give(chroot, ADA);
        run("mount", "-t", "proc", "proc", root.toString());
        try {
            refused(root, "is in one of the kernel's own file systems");
            refused(root.resolve("1"), "is in one of the kernel's own file systems");
            refused(chroot, "has " + root + " in it, one of the kernel's own file systems");
            refused(data, "has " + root + " in it, one of the kernel's own file systems");
        } finally {
            run("umount", root.toString());
        }
        assertThat(readOnly(chroot, ADA)).isFalse();
    }

    private static void run(String... words) throws Exception {
        assertThat(new ProcessBuilder(words).inheritIO().start().waitFor()).isZero();
    }

    @Test
    void aFileOfTheSettingsIsGivenReadOnly() {
        assertThat(readOnly(Path.of("/etc/passwd"), ADA)).isTrue();
        assertThat(readOnly(Path.of("/etc/passwd"), ROOT)).isTrue();
        refused(Path.of("/etc/shadow"), "is closed to you");
    }

    @Test
    void theServersOwnPlaceIsNotGivenNorWhatHoldsIt() throws IOException {
        Path own = Files.createDirectories(data.resolve("berth/jobs"));
        MountRules rules = new MountRules(Settings.of(), Path.of("/nowhere"), List.of(data.resolve("berth")));
        Mounts mounts = Mounts.asRoot(rules, table);
        for (Path source : List.of(own, data.resolve("berth"), data, directory)) {
            assertThatThrownBy(() -> mounts.check(new Mount(source.toString(), "/data", false), ROOT))
                    .hasMessageContaining("mounted into a job");
        }
        Path beside = Files.createDirectory(data.resolve("berth-data"));
        assertThat(mounts.check(new Mount(beside.toString(), "/data", false), ROOT))
                .isFalse();
    }

    @Test
    void theAdministratorSaysWhereFromAndWhatReadOnly() throws IOException {
        Path link = Files.createSymbolicLink(data.resolve("link"), Path.of("/usr/share"));
        Path models = Files.createDirectory(data.resolve("models"));
        give(models, ADA);
        Mounts mounts = mounts(Settings.of("mounts.allow=" + data, "mounts.read-only=" + models));
        assertThat(mounts.check(new Mount(data.toString(), "/data", false), ADA))
                .isFalse();
        assertThat(mounts.check(new Mount(models.toString(), "/data", false), ADA))
                .isTrue();
        for (Path outside : List.of(link, directory, Path.of("/usr/share"))) {
            assertThatThrownBy(() -> mounts.check(new Mount(outside.toString(), "/data", false), ADA))
                    .hasMessageContaining("this server mounts only what is in " + data + " (mounts.allow)");
        }
    }

    @Test
    void theServersOwnIdentityIsUntouched() throws IOException {
        String before = identity();
        assertThat(readOnly(data, ADA)).isFalse();
        assertThat(identity()).isEqualTo(before);
        assertThat(secret().resolve("note")).hasContent("hush");
    }

    private static String identity() throws IOException {
        return Files.readAllLines(Path.of("/proc/thread-self/status")).stream()
                .filter(line -> line.matches("(Uid|Gid|Groups|CapEff):.*"))
                .toList()
                .toString();
    }

    @Test
    void whatIsGrantedIsTheFileThatWasLookedAt() throws IOException {
        Path inner = Files.createDirectory(data.resolve("inner"));
        Files.writeString(inner.resolve("note"), "mine");
        give(inner, ADA);
        Path secret = secret();
        Mounts mounts = mounts(Settings.of());
        try (Granted granted = mounts.grant("one", List.of(new Mount(inner.toString(), "/data", false)), ADA)) {
            Files.move(inner, data.resolve("moved"));
            Files.createSymbolicLink(inner, secret);
            Granted.Source source = granted.sources().getFirst();
            assertThat(source).isEqualTo(new Granted.Source(table.resolve("one/0"), "/data", false));
            assertThat(source.path().resolve("note")).hasContent("mine");
        }
        assertThat(data.resolve("moved/note"))
                .as("the user's files are untouched")
                .hasContent("mine");
    }

    @Test
    void readOnlyIsSoBelowToo() throws IOException {
        Path file = Files.writeString(data.resolve("file"), "mine");
        give(file, ADA);
        Mounts mounts = mounts(Settings.of());
        List<Mount> wanted = List.of(
                new Mount(data.toString(), "/data", true),
                new Mount(file.toString(), "/file", true),
                new Mount(data.toString(), "/free", false));
        try (Granted granted = mounts.grant("one", wanted, ADA)) {
            Path whole = granted.sources().getFirst().path();
            assertThatThrownBy(() -> Files.writeString(whole.resolve("new"), "x"))
                    .hasMessageContaining("Read-only file system");
            assertThatThrownBy(() -> Files.writeString(granted.sources().get(1).path(), "x"))
                    .hasMessageContaining("Read-only file system");
            Files.writeString(granted.sources().get(2).path().resolve("new"), "x");
        }
        assertThat(data.resolve("new")).hasContent("x");
    }

    @Test
    void whatAServerThatWasKilledLeftIsTakenAway() {
        Mount mount = new Mount(data.toString(), "/data", false);
        Granted left = mounts(Settings.of()).grant("one", List.of(mount), ADA);
        assertThat(left.sources().getFirst().path()).exists();

        Mounts next = mounts(Settings.of());
        assertThat(table).doesNotExist();
        try (Granted again = next.grant("one", List.of(mount), ADA)) {
            assertThat(again.sources()).isEqualTo(left.sources());
        }
        assertThat(data).isDirectory();
    }

    @Test
    void grantsGoOneByOne() {
        Mounts mounts = mounts(Settings.of());
        List<Mount> mount = List.of(new Mount(data.toString(), "/data", false));
        Granted first = mounts.grant("one", mount, ADA);
        Granted second = mounts.grant("two", mount, ADA);
        first.close();
        assertThat(first.sources().getFirst().path()).doesNotExist();
        assertThat(second.sources().getFirst().path()).exists();
        second.close();
        assertThat(mounts.grant("three", List.of(), ADA).sources()).isEmpty();
    }

    /** Somebody turns the way to the source back and forth for as long as this takes; what is granted is never theirs. */
    @Test
    void aWayThatIsSwappedAllTheTimeLeadsToNothingOfOthers() throws Exception {
        Path own = Files.createDirectories(data.resolve("own/inner"));
        Files.writeString(own.resolve("note"), "mine");
        Path theirs = Files.createDirectories(directory.resolve("secret/inner"));
        Files.writeString(theirs.resolve("note"), "hush");
        allow(directory.resolve("secret"), "rwx------");
        Path way = Files.createSymbolicLink(data.resolve("way"), data.resolve("own"));
        AtomicBoolean over = new AtomicBoolean();
        Thread swapper = Thread.ofPlatform().start(() -> swap(way, over));
        Mounts mounts = mounts(Settings.of());
        int granted = 0;
        int refused = 0;
        try {
            for (int i = 0; i < 200 || granted == 0 || refused == 0; i++) {
                try (Granted grant = mounts.grant("one", List.of(new Mount(way + "/inner", "/data", false)), ADA)) {
                    assertThat(grant.sources().getFirst().path().resolve("note"))
                            .hasContent("mine");
                    granted++;
                } catch (MountException e) {
                    assertThat(e.sentence()).contains("is out of reach for ada");
                    refused++;
                }
            }
        } finally {
            over.set(true);
            swapper.join();
        }
    }

    private void swap(Path way, AtomicBoolean over) {
        try {
            for (int turn = 0; !over.get(); turn++) {
                Path next = data.resolve("next");
                Files.createSymbolicLink(next, turn % 2 == 0 ? directory.resolve("secret") : data.resolve("own"));
                Files.move(next, way, StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
