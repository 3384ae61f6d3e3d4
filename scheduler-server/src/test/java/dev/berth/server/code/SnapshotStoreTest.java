package dev.berth.server.code;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.berth.core.api.SnapshotView;
import dev.berth.server.code.SnapshotException.Kind;
import dev.berth.server.example.Draft;
import dev.berth.server.example.Jobs;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is kept, once for all, for each user; and contents as they are uploaded, honest and hostile. */
class SnapshotStoreTest {
    private static final long ADA = 1000;
    private static final long BOB = 1001;

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

    private static Draft tree() {
        return new Draft()
                .directory("src")
                .file("src/main.py", "print('ahoy')\n")
                .file("src/again.py", "print('ahoy')\n")
                .file("data", "1,2,3\n")
                .link("latest", "src/main.py");
    }

    private List<String> kept(String below) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> directory.relativize(file).toString())
                    .filter(name -> name.contains(below))
                    .sorted()
                    .toList();
        }
    }

    private SnapshotView fill(Draft draft, byte[] contents) throws IOException, SnapshotException {
        return store.fill(ADA, draft.id(), new ByteArrayInputStream(contents));
    }

    private SnapshotException refusal(Draft draft, byte[] contents) {
        SnapshotException refusal = catchThrowableOfType(SnapshotException.class, () -> fill(draft, contents));
        assertThat(refusal).as("it was taken").isNotNull();
        return refusal;
    }

    @Test
    void aSnapshotIsAManifestAndContentsUnderTheirDigests() throws Exception {
        String id = tree().uploadTo(store, ADA);
        assertThat(id).isEqualTo(tree().id());
        String code = Draft.digest("print('ahoy')\n");
        String data = Draft.digest("1,2,3\n");
        assertThat(kept(""))
                .containsExactlyInAnyOrder(
                        "1000/manifest/" + id,
                        "1000/content/" + code.substring(0, 2) + "/" + code.substring(2),
                        "1000/content/" + data.substring(0, 2) + "/" + data.substring(2));
        assertThat(store.content(ADA, code)).hasContent("print('ahoy')\n");
        assertThat(store.holds(ADA, id)).isTrue();
    }

    @Test
    void everythingIsTheServersAlone() throws Exception {
        tree().uploadTo(store, ADA);
        try (Stream<Path> files = Files.walk(directory.resolve("1000"))) {
            for (Path file : (Iterable<Path>) files::iterator) {
                assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                        .as(file.toString())
                        .isEqualTo(Files.isDirectory(file) ? "rwx------" : "rw-------");
            }
        }
    }

    @Test
    void aThousandSubmitsOfTheSameTreeAreUploadedAndKeptOnce() throws Exception {
        SnapshotView first = store.keep(ADA, tree().stream());
        assertThat(first.missing()).hasSize(2);
        assertThat(fill(tree(), tree().contents(first.missing())).missing()).isEmpty();
        List<String> kept = kept("");
        for (int submit = 1; submit < 1_000; submit++) {
            assertThat(store.keep(ADA, tree().stream()).missing()).isEmpty();
        }
        assertThat(kept("")).isEqualTo(kept);
    }

    @Test
    void ofAChangedFileOnlyThatIsMissing() throws Exception {
        tree().uploadTo(store, ADA);
        Draft changed = tree().file("data", "4,5,6\n");
        assertThat(store.keep(ADA, changed.stream()).missing()).containsExactly(Draft.digest("4,5,6\n"));
    }

    @Test
    void aDigestThatAnotherUserHasIsMissingStill() throws Exception {
        String id = tree().uploadTo(store, ADA);
        assertThat(store.holds(BOB, id)).isFalse();
        assertThat(store.keep(BOB, tree().stream()).missing()).hasSize(2);
        assertThat(store.holds(BOB, id)).isFalse();
        assertThat(refusalOf(BOB, tree().contents(List.of("0".repeat(64)))).sentence())
                .contains("is not one that the snapshot names and the server lacks");
    }

    private SnapshotException refusalOf(long uid, byte[] contents) {
        SnapshotException refusal = catchThrowableOfType(
                SnapshotException.class, () -> store.fill(uid, tree().id(), new ByteArrayInputStream(contents)));
        assertThat(refusal).isNotNull();
        return refusal;
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "../../etc/passwd", "AB", "5A"})
    void onlyADigestCanBeHeld(String name) {
        assertThat(store.holds(ADA, name)).isFalse();
        assertThat(store.holds(ADA, name.repeat(32))).isFalse();
    }

    @Test
    void anAnswerNamesSoManyAndAsksForTheOthersAgain() throws Exception {
        store = store(new UploadLimits(1 << 20, 100, 1 << 20, 1 << 30, 2));
        Draft five = new Draft()
                .file("a", "1")
                .file("b", "2")
                .file("c", "3")
                .file("d", "4")
                .file("e", "5");
        SnapshotView view = store.keep(ADA, five.stream());
        assertThat(view.missing()).containsExactly(Draft.digest("1"), Draft.digest("2"));
        view = fill(five, five.contents(view.missing()));
        assertThat(view.missing()).containsExactly(Draft.digest("3"), Draft.digest("4"));
        view = fill(five, five.contents(view.missing()));
        assertThat(view.missing()).containsExactly(Draft.digest("5"));
        assertThat(fill(five, five.contents(view.missing())).missing()).isEmpty();
    }

    static List<Arguments> hostileContents() {
        byte[] one = "1".getBytes(StandardCharsets.US_ASCII);
        byte[] good = Draft.framed(Draft.digest("1"), one);
        return List.of(
                Arguments.argumentSet("cut off", Arrays.copyOf(good, good.length - 1), "is cut off: 1 of its 1 bytes"),
                Arguments.argumentSet("twice", joined(good, good), "came twice in one upload"),
                Arguments.argumentSet(
                        "never asked", Draft.framed(Draft.digest("7"), one), "is not one that the snapshot names"),
                Arguments.argumentSet("another digest", Draft.framed(Draft.digest("2"), one), "in truth"),
                Arguments.argumentSet(
                        "longer than said", Draft.framed(Draft.digest("1"), new byte[2]), "but the manifest says 1"),
                Arguments.argumentSet(
                        "a bomb",
                        (Draft.digest("1") + " 9223372036854775807\n").getBytes(StandardCharsets.US_ASCII),
                        "but the manifest says 1"),
                Arguments.argumentSet(
                        "no header", "hello\n".getBytes(StandardCharsets.US_ASCII), "begins with the line"),
                Arguments.argumentSet("half a header", Draft.digest("1").getBytes(StandardCharsets.US_ASCII), "begins"),
                Arguments.argumentSet(
                        "a header without end", "x".repeat(1_000).getBytes(StandardCharsets.US_ASCII), "begins"),
                Arguments.argumentSet(
                        "an empty line", "\n".getBytes(StandardCharsets.US_ASCII), "begins with the line"),
                Arguments.argumentSet(
                        "a negative size",
                        (Draft.digest("1") + " -1\n").getBytes(StandardCharsets.US_ASCII),
                        "begins with the line"),
                Arguments.argumentSet(
                        "a size of 2^63",
                        (Draft.digest("1") + " 9223372036854775808\n").getBytes(StandardCharsets.US_ASCII),
                        "begins with the line"),
                Arguments.argumentSet(
                        "upper case",
                        Draft.framed(Draft.digest("1").toUpperCase(java.util.Locale.ROOT), one),
                        "begins with the line"));
    }

    private static byte[] joined(byte[] first, byte[] second) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(first);
        out.writeBytes(second);
        return out.toByteArray();
    }

    @ParameterizedTest
    @MethodSource("hostileContents")
    void whatIsNotAskedForIsRefusedAndLeavesNothingPartial(byte[] contents, String sentence) throws Exception {
        Draft draft = new Draft().file("a", "1").file("b", "2").file("c", "3");
        SnapshotView view = store.keep(ADA, draft.stream());
        assertThat(view.missing()).hasSize(3);
        SnapshotException refusal = refusal(draft, joined(draft.contents(List.of(Draft.digest("3"))), contents));
        assertThat(refusal.kind()).isEqualTo(Kind.INVALID_CONTENT);
        assertThat(refusal.sentence()).contains(sentence);
        assertThat(kept("partial")).isEmpty();
        assertThat(store.content(ADA, Draft.digest("3")))
                .as("what was verified before stays")
                .hasContent("3");
        assertThat(store.holds(ADA, draft.id())).isFalse();
        view = store.keep(ADA, draft.stream());
        assertThat(view.missing()).doesNotContain(Draft.digest("3"));
        assertThat(fill(draft, draft.contents(view.missing())).missing()).isEmpty();
    }

    @Test
    void whatAnotherUploadBroughtMeanwhileMayComeAgain() throws Exception {
        Draft draft = new Draft().file("a", "1").file("b", "2");
        SnapshotView view = store.keep(ADA, draft.stream());
        new Draft().file("x", "1").uploadTo(store, ADA);
        assertThat(fill(draft, draft.contents(view.missing())).missing()).isEmpty();
        assertThat(fill(draft, draft.contents(view.missing())).missing()).isEmpty();
    }

    @Test
    void aManifestThatGivesAContentAnotherSizeIsRefused() throws Exception {
        new Draft().file("a", "1").uploadTo(store, ADA);
        Draft lie = new Draft()
                .entry("b", "\"type\":\"file\",\"mode\":\"644\",\"size\":2,\"sha256\":\"" + Draft.digest("1") + "\"");
        SnapshotException refusal = catchThrowableOfType(SnapshotException.class, () -> store.keep(ADA, lie.stream()));
        assertThat(refusal.sentence()).contains("the size 2, but it has 1 bytes");
    }

    @Test
    void gitsDifferenceHasALimitOfItsOwn() throws Exception {
        Draft draft = new Draft().git("0".repeat(40), "main", "d".repeat(1_100_000));
        SnapshotView view = store.keep(ADA, draft.stream());
        SnapshotException refusal = refusal(draft, draft.contents(view.missing()));
        assertThat(refusal.kind()).isEqualTo(Kind.TOO_LARGE);
    }

    @Test
    void aUserHasAQuotaAndTheRefusalNamesTheNumbers() throws Exception {
        store = store(new UploadLimits(1 << 20, 100, 1 << 20, 100 << 10, 100));
        new Draft().file("a", "x".repeat(60 << 10)).uploadTo(store, ADA);
        Draft more = new Draft().file("b", "y".repeat(60 << 10));
        SnapshotException refusal = catchThrowableOfType(SnapshotException.class, () -> store.keep(ADA, more.stream()));
        assertThat(refusal.kind()).isEqualTo(Kind.QUOTA_EXCEEDED);
        assertThat(refusal.sentence())
                .contains("it needs 64 KiB more")
                .contains("your directories take 64 KiB of the 100 KiB")
                .contains(".berthignore");
        assertThat(refusal.details()).containsEntry("quota", "102400");
        assertThat(kept("partial")).isEmpty();
        more.uploadTo(store, BOB);
    }

    @Test
    void theQuotaCountsWhatAnEarlierServerKept() throws Exception {
        UploadLimits limits = new UploadLimits(1 << 20, 100, 1 << 20, 100 << 10, 100);
        store = store(limits);
        new Draft().file("a", "x".repeat(60 << 10)).uploadTo(store, ADA);
        store = store(limits);
        SnapshotException refusal = catchThrowableOfType(
                SnapshotException.class, () -> store.keep(ADA, new Draft().file("b", "y".repeat(60 << 10)).stream()));
        assertThat(refusal.details()).containsEntry("used", "65536");
    }

    @Test
    void manyEmptyFilesTakeRoomToo() throws Exception {
        store = store(new UploadLimits(1 << 20, 100, 1 << 20, 5 * 4_096, 100));
        for (int number = 0; number < 2; number++) {
            new Draft().file("a", "" + number).uploadTo(store, ADA);
        }
        SnapshotException refusal = catchThrowableOfType(
                SnapshotException.class, () -> store.keep(ADA, new Draft().file("a", "3").stream()));
        assertThat(refusal.kind()).isEqualTo(Kind.QUOTA_EXCEEDED);
    }
}
