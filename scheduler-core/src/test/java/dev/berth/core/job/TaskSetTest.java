package dev.berth.core.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TaskSetTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0-31 | 0-31 | 32",
                "7 | 7 | 1",
                "1,3,7-9 | 1,3,7-9 | 5",
                "9,1-3,4 | 1-4,9 | 5",
                "0-20:5 | 0,5,10,15,20 | 5",
                "0-4:1 | 0-4 | 5",
                "5-5 | 5 | 1",
                "999999999 | 999999999 | 1",
                "0-999999 | 0-999999 | 1000000",
                "007 | 7 | 1"
            })
    void aTextNamesTasks(String text, String same, int size) {
        TaskSet tasks = TaskSet.parse(text);
        assertThat(tasks).hasToString(same);
        assertThat(tasks.size()).isEqualTo(size);
        assertThat(TaskSet.parse(same)).isEqualTo(tasks);
    }

    @Test
    void aSetGrowsByTasks() {
        assertThat(TaskSet.parse("10-20").with(List.of(3, 9, 21, 4))).hasToString("3-4,9-21");
        assertThat(TaskSet.NONE.with(List.of())).isEqualTo(TaskSet.NONE);
        List<Integer> even =
                IntStream.rangeClosed(0, 1_000).map(i -> 2 * i).boxed().toList();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TaskSet.NONE.with(even))
                .withMessageStartingWith("has more than 1000 ranges of tasks");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0- | must name tasks by numbers, as in 0-31, 1,3,7-9 or 0-31%4",
                "'' | must name tasks by numbers, as in 0-31, 1,3,7-9 or 0-31%4",
                "1,,2 | must name tasks by numbers, as in 0-31, 1,3,7-9 or 0-31%4",
                "-1 | must name tasks by numbers, as in 0-31, 1,3,7-9 or 0-31%4",
                "a | must name tasks by numbers, as in 0-31, 1,3,7-9 or 0-31%4",
                "1-2-3 | must name tasks by numbers, as in 0-31, 1,3,7-9 or 0-31%4",
                "1:2 | must name tasks by numbers, as in 0-31, 1,3,7-9 or 0-31%4",
                "١ | must name tasks by numbers, as in 0-31, 1,3,7-9 or 0-31%4",
                "5-1 | has the range 5-1, which ends before it begins",
                "0-5:99999999999999999999 | has the range 0-5 with a step above 999999999, the highest index",
                "0-5:0 | has the range 0-5:0, whose step must be at least 1",
                "1-9999999999 | names task 9999999999; the highest index is 999999999",
                "1-10000000000 | names a task by 11 digits; the highest index is 999999999",
                "0-1000000 | has 1000001 tasks; an array has at most 1000000",
                "1,1 | names task 1 more than once",
                "3-5,4 | names task 4 more than once",
                "0-5000:2 | has more than 1000 ranges of tasks, the most that an array may have; number them without gaps"
            })
    void aTextThatNamesNoTasksIsRefusedByItsRule(String text, String rule) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> TaskSet.parse(text))
                .withMessage(rule);
    }

    @ParameterizedTest
    @CsvSource({"0-3%0", "0-3%", "0-3%a", "0-3%-1", "0-3%1%2", "0-3%10000000000"})
    void aThrottleIsANumberFromOneOn(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Tasks.parse(text))
                .withMessage(
                        "must have a number from 1 to 999999999 behind %: how many of its tasks may run at the same time");
    }

    @Test
    void indicesWithoutGapsAreOneRangeHoweverTheyAreWritten() {
        String all = IntStream.range(0, 5_000).mapToObj(String::valueOf).collect(Collectors.joining(","));
        assertThat(TaskSet.parse(all)).hasToString("0-4999");
        assertThatIllegalArgumentException().isThrownBy(() -> TaskSet.parse("1,".repeat(200_000) + "1"));
    }

    @Test
    void aThrottleIsKeptBehindThePercentSign() {
        assertThat(Tasks.parse("0-31%4"))
                .isEqualTo(new Tasks(TaskSet.parse("0-31"), 4))
                .hasToString("0-31%4");
    }

    /** Positions, members and texts are those of a set of numbers, whatever is taken out. */
    @Test
    void aSetIsThatOfItsNumbers() {
        SplittableRandom random = new SplittableRandom(7);
        for (int round = 0; round < 200; round++) {
            TreeSet<Integer> numbers = new TreeSet<>();
            for (int i = 0; i < 1 + random.nextInt(30); i++) {
                numbers.add(random.nextInt(60));
            }
            TaskSet tasks = TaskSet.parse(numbers.stream().map(String::valueOf).collect(Collectors.joining(",")));
            while (!numbers.isEmpty()) {
                assertThat(tasks.size()).isEqualTo(numbers.size());
                assertThat(tasks.first()).isEqualTo(numbers.first());
                assertThat(tasks.last()).isEqualTo(numbers.last());
                assertThat(TaskSet.parse(tasks.toString())).isEqualTo(tasks);
                int position = 0;
                for (int number : numbers) {
                    assertThat(tasks.contains(number)).isTrue();
                    assertThat(tasks.position(number)).isEqualTo(position);
                    assertThat(tasks.at(position)).isEqualTo(number);
                    position++;
                }
                int gone = tasks.at(random.nextInt(tasks.size()));
                tasks = tasks.without(gone);
                numbers.remove(gone);
                assertThat(tasks.contains(gone)).isFalse();
            }
            assertThat(tasks).isEqualTo(TaskSet.NONE);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"0-9|4|0-4", "0-9|9|0-9", "3,7-9,20|8|3,7-8", "3,7-9,20|19|3,7-9", "3,7-9|3|3", "3,7-9|2|''"})
    void aSetHasAPartUpToAnIndex(String text, int index, String part) {
        assertThat(TaskSet.parse(text).upTo(index)).hasToString(part);
    }

    @Test
    void aSetCountsItsIndicesInOrder() {
        assertThat(TaskSet.parse("20,7-9,3").indices()).containsExactly(3, 7, 8, 9, 20);
        assertThat(TaskSet.NONE.indices()).isEmpty();
    }
}
