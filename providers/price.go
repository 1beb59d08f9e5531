package providers

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// microPlaces are the decimal places that an amount may have.
const microPlaces = 6

// MicroDollars converts dollars as a price list writes them, in a float, to micro-dollars. It goes by the float's shortest
// decimal form, which is what the list said, and never by arithmetic on it: 1.1 is 1,100,000 and not 1,100,000.0000000001.
// A digit beyond the sixth place is rounded up, so that no price is below the list's. An error means that the figure is
// negative, not a number, or above a million dollars.
func MicroDollars(dollars float64) (int64, error) {
	if math.IsNaN(dollars) || dollars < 0 || dollars > 1e6 {
		return 0, fmt.Errorf("%v is no price in dollars", dollars)
	}
	whole, places, _ := strings.Cut(strconv.FormatFloat(dollars, 'f', -1, 64), ".")
	beyond := ""
	if len(places) > microPlaces {
		places, beyond = places[:microPlaces], places[microPlaces:]
	}
	micro, err := strconv.ParseInt(whole+places+strings.Repeat("0", microPlaces-len(places)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("reading the price %v: %w", dollars, err)
	}
	if strings.Trim(beyond, "0") != "" {
		micro++
	}
	return micro, nil
}
