#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "jobserver/slots.h"
#include "server/flight.h"

/* Who was woken, in order. */
static struct passenger *woken[8];
static enum landing landings[8];
static int woken_count;

static void wake(struct passenger *passenger, enum landing landing)
{
    landings[woken_count] = landing;
    woken[woken_count++] = passenger;
}

static struct passenger passengers[4];
static const struct digest one = {{1}}, two = {{2}};

static int set_up(void **state)
{
    (void)state;
    memset(passengers, 0, sizeof passengers);
    for (int i = 0; i < 4; i++)
        passengers[i].wake = wake;
    woken_count = 0;
    return 0;
}

static void test_one_leads(void **state)
{
    (void)state;
    assert_true(flight_join(&passengers[0], &one));
    assert_false(flight_join(&passengers[1], &one));
    assert_true(flight_join(&passengers[2], &two));
    assert_false(flight_join(&passengers[3], &one));
    flight_land(&passengers[0], LANDING_STORED);
    assert_int_equal(woken_count, 2);
    assert_ptr_equal(woken[0], &passengers[1]);
    assert_ptr_equal(woken[1], &passengers[3]);
    assert_int_equal(landings[0], LANDING_STORED);
    flight_land(&passengers[2], LANDING_USELESS);
    assert_true(flight_join(&passengers[0], &one)); /* that flight is over */
    flight_land(&passengers[0], LANDING_USELESS);
}

static void test_leader_goes(void **state)
{
    (void)state;
    flight_join(&passengers[0], &one);
    flight_join(&passengers[1], &one);
    flight_join(&passengers[2], &one);
    flight_land(&passengers[0], LANDING_GONE);
    assert_int_equal(woken_count, 1);
    assert_ptr_equal(woken[0], &passengers[1]);
    assert_true(passengers[1].leads);
    flight_land(&passengers[1], LANDING_STORED);
    assert_int_equal(woken_count, 2);
    assert_ptr_equal(woken[1], &passengers[2]);
}

static void test_waiter_leaves(void **state)
{
    (void)state;
    flight_join(&passengers[0], &one);
    flight_join(&passengers[1], &one);
    flight_join(&passengers[2], &one);
    flight_leave(&passengers[2]);
    flight_leave(&passengers[2]);
    flight_join(&passengers[3], &one);
    flight_leave(&passengers[1]);
    flight_land(&passengers[0], LANDING_STORED);
    assert_int_equal(woken_count, 1);
    assert_ptr_equal(woken[0], &passengers[3]);
}

/* ---- slots ---- */

static int granted[4];

struct user {
    struct slot_waiter waiter;
    int number;
};

static void grant(struct slot_waiter *waiter)
{
    granted[((struct user *)waiter)->number]++;
}

static void test_slots_in_order(void **state)
{
    struct slots slots;
    struct user users[4] = {{.number = 0}, {.number = 1}, {.number = 2}, {.number = 3}};

    (void)state;
    slots_init(&slots, 1);
    for (int i = 0; i < 4; i++) {
        users[i].waiter.granted = grant;
        slots_request(&slots, &users[i].waiter);
    }
    assert_int_equal(granted[0], 1);
    assert_int_equal(granted[1], 0);
    slots_forget(&slots, &users[3].waiter);
    slots_forget(&slots, &users[1].waiter);
    slots_forget(&slots, &users[1].waiter);
    slots_release(&slots);
    assert_int_equal(granted[1], 0);
    assert_int_equal(granted[2], 1);
    slots_release(&slots);
    assert_int_equal(slots.free, 1);
    assert_int_equal(granted[3], 0);
}

static void test_slots_of_other_threads(void **state)
{
    struct slots slots;
    struct user user = {.waiter.granted = grant, .number = 0};

    (void)state;
    granted[0] = 0;
    slots_init(&slots, 1);
    assert_true(slots_try(&slots));
    assert_false(slots_try(&slots));
    assert_true(slots_return(&slots));
    assert_true(slots_try(&slots));
    slots_request(&slots, &user.waiter); /* from now on it is the waiter's, which only the loop may wake */
    assert_false(slots_return(&slots));
    assert_int_equal(granted[0], 0);
    slots_release(&slots);
    assert_int_equal(granted[0], 1);
    assert_false(slots_try(&slots));
    slots_release(&slots);
    assert_true(slots_try(&slots));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_one_leads, set_up),     cmocka_unit_test_setup(test_leader_goes, set_up),
        cmocka_unit_test_setup(test_waiter_leaves, set_up), cmocka_unit_test(test_slots_in_order),
        cmocka_unit_test(test_slots_of_other_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
