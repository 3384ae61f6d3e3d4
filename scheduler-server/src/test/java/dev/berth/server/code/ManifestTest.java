package dev.berth.server.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.server.code.SnapshotException.Kind;
import dev.berth.server.example.Draft;
import dev.berth.server.example.Jobs;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Manifests as they are uploaded, honest and hostile. */
class ManifestTest {
    private static final long UID = 1000;
    private static final String DIGEST = "5a".repeat(32);
    private static final String FILE = "\"type\":\"file\",\"mode\":\"644\",\"size\":1,\"sha256\":\"" + DIGEST + "\"";

    @TempDir
    private Path directory;

    private SnapshotStore store;

    @BeforeEach
    void open() {
        store = store(UploadLimits.DEFAULT);
    }

    private SnapshotStore store(UploadLimits limits) {
        return new SnapshotStore(directory, limits, InstantSource.fixed(Jobs.SUBMITTED));
    }

    private SnapshotException refusal(byte[] manifest) throws IOException {
        SnapshotException refusal = catchThrowableOfType(
                SnapshotException.class, () -> store.keep(UID, new ByteArrayInputStream(manifest)));
        assertThat(refusal).as("it was taken").isNotNull();
        try (Stream<Path> files = Files.walk(directory)) {
            assertThat(files.filter(Files::isRegularFile))
                    .as("what is refused leaves nothing")
                    .isEmpty();
        }
        assertThat(refusal.sentence().length()).isLessThan(1_500);
        assertThat(refusal.sentence().chars()).noneMatch(Character::isISOControl);
        return refusal;
    }

    private static Arguments bad(String what, Draft draft, String sentence) {
        return Arguments.argumentSet(what, draft.text(), sentence);
    }

    private static Arguments bad(String what, String text, String sentence) {
        return Arguments.argumentSet(what, text, sentence);
    }

    private static Arguments badEntry(String what, String entry, String sentence) {
        return bad(what, "{\"version\":1,\"entries\":[" + entry + "]}", sentence);
    }

    static List<Arguments> hostilePaths() {
        return List.of(
                bad("parent", new Draft().file("../evil", "x"), "'../evil' is no plain path"),
                bad("parents", new Draft().file("../../../../etc/cron.d/evil", "x"), "is no plain path"),
                bad("absolute", new Draft().file("/etc/evil", "x"), "is no plain path"),
                bad("absolute directory", new Draft().directory("/evil"), "is no plain path"),
                bad("through a parent", new Draft().file("a/../../b", "x"), "is no plain path"),
                bad("through a parent and back", new Draft().file("a/../b", "x"), "is no plain path"),
                bad("only parents", new Draft().directory(".."), "is no plain path"),
                bad("trailing parent", new Draft().directory("a/.."), "is no plain path"),
                bad("trailing slash", new Draft().directory("a/"), "is no plain path"),
                bad("empty", new Draft().file("", "x"), "must have 1 to 4096 characters"),
                bad("dot", new Draft().directory("."), "is no plain path"),
                bad("empty part", new Draft().file("a//b", "x"), "is no plain path"),
                bad("dot part", new Draft().file("./a", "x"), "is no plain path"),
                bad("NUL", new Draft().file("a\0b", "x"), "the path 'a?b' holds a NUL"),
                bad("half a character", new Draft().file("a\ud800b", "x"), "holds half a character"),
                bad("other half", new Draft().file("\udc00\ud800", "x"), "holds half a character"),
                bad("long name", new Draft().file("n".repeat(256), "x"), "longer than the 255 bytes"),
                bad("long name in UTF-8", new Draft().file("\u00fc".repeat(128), "x"), "longer than the 255 bytes"),
                bad("long path", new Draft().file("a/".repeat(5_000) + "a", "x"), "must have 1 to 4096 characters"),
                bad("deep path", new Draft().file("a/".repeat(128) + "a", "x"), "128 deep"),
                bad("colours", new Draft().file("../\u001b[31m\u202e", "x"), "'../?[31m?' is no plain path"),
                bad("below a file", new Draft().file("a", "x").file("a/b", "y"), "'a/b' lies below something"),
                bad("below a link", new Draft().link("a", "x").file("a/b", "y"), "'a/b' lies below something"),
                bad("below nothing", new Draft().file("a/b", "y"), "'a/b' lies below something"),
                badEntry(
                        "twice",
                        "{\"path\":\"a\"," + FILE + "},{\"path\":\"a\"," + FILE + "}",
                        "the manifest holds 'a' twice"),
                badEntry(
                        "file and link",
                        "{\"path\":\"a\"," + FILE + "},{\"path\":\"a\",\"type\":\"link\",\"target\":\"b\"}",
                        "the manifest holds 'a' twice"),
                badEntry(
                        "unsorted",
                        "{\"path\":\"b\"," + FILE + "},{\"path\":\"a\"," + FILE + "}",
                        "'a' stands behind 'b'"),
                badEntry(
                        "sorted as UTF-16",
                        "{\"path\":\"\ud83d\udea2\"," + FILE + "},{\"path\":\"\uff5e\"," + FILE + "}",
                        "is not sorted by the paths' bytes in UTF-8"));
    }

    static List<Arguments> hostileLinks() {
        return List.of(
                bad("to the root", new Draft().link("l", "/"), "the link 'l' leads out of the directory"),
                bad("to a file outside", new Draft().link("l", "/etc/shadow"), "to '/etc/shadow'"),
                bad("to the parent", new Draft().link("l", ".."), "the link 'l' leads out of the directory, to '..'"),
                bad("far up", new Draft().directory("a").link("a/l", "../../x"), "the link 'a/l' leads out"),
                bad("up and back in", new Draft().link("l", "../workspace/x"), "leads out"),
                bad("over a directory", new Draft().directory("a").link("l", "a/../../x"), "leads out"),
                bad("over nothing", new Draft().link("l", "gone/../../x"), "leads out"),
                bad("empty target", new Draft().link("l", ""), "leads out of the directory, or nowhere"),
                bad("NUL in a target", new Draft().link("l", "a\0b"), "holds a NUL"),
                bad("half a character in a target", new Draft().link("l", "\ud800"), "holds half a character"),
                bad("long target", new Draft().link("l", "a/".repeat(2_500)), "leads out"),
                bad(
                        "a chain",
                        new Draft()
                                .directory("a")
                                .directory("a/b")
                                .link("a/b/up", "../..")
                                .link("l", "a/b/up/../x"),
                        "the link 'l' leads out"),
                bad(
                        "a link onto itself, and up",
                        new Draft().link("here", ".").link("l", "here/../x"),
                        "the link 'l' leads out"));
    }

    static List<Arguments> hostileFields() {
        return List.of(
                badEntry("short digest", entry(FILE.replace(DIGEST, "5a")), "has the sha256 '5a'"),
                badEntry("upper-case digest", entry(FILE.replace("5a", "5A")), "64 hexadecimal digits in lower case"),
                badEntry("wrong digest", entry(FILE.replace("5a5a", "../.")), "64 hexadecimal digits in lower case"),
                badEntry("no digest", entry("\"type\":\"file\",\"mode\":\"644\",\"size\":1"), "the sha256 'null'"),
                badEntry("negative size", entry(FILE.replace(":1,", ":-1,")), "has the size -1"),
                badEntry("no size", entry(FILE.replace("\"size\":1,", "")), "has the size null"),
                badEntry("2^63", entry(FILE.replace(":1,", ":9223372036854775808,")), "not the JSON it must be"),
                badEntry("broken size", entry(FILE.replace(":1,", ":1.5,")), "not the JSON it must be"),
                badEntry("size as text", entry(FILE.replace(":1,", ":\"1\",")), "not the JSON it must be"),
                badEntry("set-uid", entry(FILE.replace("644", "4755")), "'p' has the mode '4755'"),
                badEntry("sticky", entry("\"type\":\"directory\",\"mode\":\"1777\""), "has the mode '1777'"),
                badEntry("mode as number", entry(FILE.replace("\"644\"", "644")), "not the JSON it must be"),
                badEntry("no mode", entry(FILE.replace("\"mode\":\"644\",", "")), "has the mode 'null'"),
                badEntry("device", entry("\"type\":\"block\",\"mode\":\"644\""), "is of type 'block'"),
                badEntry("hard link", entry("\"type\":\"hardlink\",\"target\":\"/etc/shadow\""), "of type 'hardlink'"),
                badEntry("no type", "{\"path\":\"p\"}", "must have entries with a path and a type"),
                badEntry("no path", "{\"type\":\"directory\"}", "must have entries with a path and a type"),
                badEntry("no object", "7", "must have objects as its entries"),
                badEntry("null", "null", "must have objects as its entries"),
                badEntry("file and target", entry(FILE + ",\"target\":\"x\""), "has other fields than its type"),
                badEntry(
                        "link and mode",
                        entry("\"type\":\"link\",\"mode\":\"777\",\"target\":\"x\""),
                        "has other fields than its type"),
                badEntry("link to nothing", entry("\"type\":\"link\""), "has other fields than its type"),
                badEntry("unknown field", entry(FILE + ",\"owner\":\"root\""), "'owner' is not a field of it"),
                badEntry("doubled field", entry(FILE + ",\"mode\":\"777\""), "Duplicate field 'mode'"));
    }

    private static String entry(String rest) {
        return "{\"path\":\"p\"," + rest + "}";
    }

    static List<Arguments> hostileTexts() {
        String end = "\"entries\":[]}";
        String commit = "0".repeat(40);
        return List.of(
                bad("nothing", "", "must be one JSON object"),
                bad("a list", "[]", "must be one JSON object"),
                bad("no JSON", "not a manifest", "not the JSON it must be"),
                bad("no version", "{" + end, "must begin with its version"),
                bad("another version", "{\"version\":2," + end, "must have version 1"),
                bad("version as text", "{\"version\":\"1\"," + end, "must have version 1"),
                bad("no entries", "{\"version\":1}", "in this order"),
                bad("entries before", "{\"version\":1,\"entries\":[],\"git\":null}", "must end behind its entries"),
                bad("unknown field", "{\"version\":1,\"more\":1," + end, "in this order"),
                bad("something behind", "{\"version\":1," + end + "{}", "must end behind its entries"),
                bad("cut off", "{\"version\":1,\"entries\":[", "not the JSON it must be"),
                bad("deep", "{\"version\":1,\"entries\":" + "[".repeat(100_000), "must have objects as its entries"),
                bad(
                        "deep in an entry",
                        "{\"version\":1,\"entries\":[{\"path\":" + "[".repeat(100_000),
                        "not the JSON it must be"),
                bad("git no object", "{\"version\":1,\"git\":[]," + end, "must have an object as git"),
                bad(
                        "git without commit",
                        "{\"version\":1,\"git\":{\"dirty\":true}," + end,
                        "must have git's commit as 40 or 64"),
                bad(
                        "git's commit is a path",
                        "{\"version\":1,\"git\":{\"commit\":\"../../x\",\"dirty\":false}," + end,
                        "must have git's commit as 40 or 64"),
                bad(
                        "git's branch with colours",
                        "{\"version\":1,\"git\":{\"commit\":\"" + commit
                                + "\",\"branch\":\"\\u001b[31m\",\"dirty\":false}," + end,
                        "must have git's branch as 1 to 255 characters"),
                bad(
                        "git's diff is no digest",
                        "{\"version\":1,\"git\":{\"commit\":\"" + commit + "\",\"dirty\":true,\"diff\":\"x\"}," + end,
                        "must have git's diff as 64"),
                bad(
                        "git unsure",
                        "{\"version\":1,\"git\":{\"commit\":\"" + commit + "\"}," + end,
                        "not the JSON it must be"));
    }

    @ParameterizedTest
    @MethodSource({"hostilePaths", "hostileLinks", "hostileFields", "hostileTexts"})
    void whatHasNoBusinessInAManifestIsRefusedAndLeavesNothing(String manifest, String sentence) throws IOException {
        SnapshotException refusal = refusal(manifest.getBytes(StandardCharsets.UTF_8));
        assertThat(refusal.kind()).isEqualTo(Kind.BAD_SNAPSHOT);
        assertThat(refusal.sentence()).contains(sentence);
    }

    @Test
    void bytesThatAreNoUtf8AreRefused() throws IOException {
        byte[] manifest = new Draft().file("aXb", "x").bytes();
        manifest[new Draft().file("aXb", "x").text().indexOf('X')] = (byte) 0xff;
        assertThat(refusal(manifest).sentence()).contains("not the JSON it must be");
        assertThat(refusal(new byte[] {0, 0, 0, '{', 0, 0x7f, 0, 0}).sentence()).contains("not the JSON it must be");
    }

    static List<Arguments> harmless() {
        return List.of(
                Arguments.argumentSet("nothing", new Draft()),
                Arguments.argumentSet("control characters in a name", new Draft().file("a\n\u001b[31mb", "x")),
                Arguments.argumentSet(
                        "characters of all lengths",
                        new Draft().file("\uff5e", "x").file("\ud83d\udea2", "y")),
                Arguments.argumentSet(
                        "a dot between",
                        new Draft().directory("b").file("b.txt", "x").file("b/a", "y")),
                Arguments.argumentSet(
                        "a link inside",
                        new Draft().directory("a").link("a/l", "../b").file("b", "x")),
                Arguments.argumentSet("a link onto itself", new Draft().link("l", "l")),
                Arguments.argumentSet("a link to nothing", new Draft().link("l", "gone")),
                Arguments.argumentSet(
                        "dots in names", new Draft().file("...", "x").file("..a", "y")));
    }

    @ParameterizedTest
    @MethodSource("harmless")
    void whatDoesNoHarmIsTaken(Draft draft) throws Exception {
        assertThat(draft.uploadTo(store, UID)).isEqualTo(draft.id());
        assertThat(store.holds(UID, draft.id())).isTrue();
        assertThat(store.manifest(UID, draft.id())).hasBinaryContent(draft.bytes());
    }

    @Test
    void everythingHasALimit() throws IOException {
        store = store(new UploadLimits(2_000, 3, 10, 1L << 30, 100));
        Draft draft = new Draft().file("a", "x").file("b", "y").directory("c");
        assertThat(refusal(draft.link("d", "a").bytes()).kind()).isEqualTo(Kind.TOO_LARGE);
        assertThat(refusal(draft.bytes()).sentence()).isEqualTo("it holds more than 3 files and directories");
        assertThat(refusal(new Draft().file("a", "12345").file("b", "123456").bytes())
                        .sentence())
                .isEqualTo("its files have more than 10 B");
        assertThat(refusal(new Draft().link("l", "a".repeat(2_000)).bytes()).sentence())
                .isEqualTo("its manifest is larger than 1.9 KiB");
    }

    @Test
    void aHundredThousandEntriesAreTheMost() throws IOException {
        Draft draft = new Draft();
        for (int number = 0; number <= 100_000; number++) {
            draft.directory("d%06d".formatted(number));
        }
        assertThat(refusal(draft.bytes()).sentence()).isEqualTo("it holds more than 100000 files and directories");
    }

    /** A thousand long targets would take as much memory as a thousand long paths. */
    @Test
    void targetsOfLinksCountAsPathsDo() throws IOException {
        Draft draft = new Draft();
        for (int number = 0; number < 4_200; number++) {
            draft.link("l%04d".formatted(number), "t".repeat(4_090));
        }
        assertThat(refusal(draft.bytes()).sentence())
                .isEqualTo("its paths and the targets of its links have more than 16777216 bytes in UTF-8 in all");
    }

    @Test
    void gitsStateIsToldAndItsDifferenceKept() throws Exception {
        String commit = "0123456789".repeat(4);
        Draft draft = new Draft().git(commit, "main", "-a\n+b\n").file("a", "b\n");
        String id = draft.uploadTo(store, UID);
        GitState git = store.git(UID, id).orElseThrow();
        assertThat(git.commit()).isEqualTo(commit);
        assertThat(git.branch()).contains("main");
        assertThat(git.dirty()).isTrue();
        try (var diff = store.diff(UID, id).orElseThrow()) {
            assertThat(diff).hasContent("-a\n+b\n");
        }
        assertThat(store.git(UID + 1, id)).isEmpty();
        assertThat(store.git(UID, "")).isEmpty();
        assertThat(store.git(UID, new Draft().uploadTo(store, UID))).isEmpty();
    }
}
