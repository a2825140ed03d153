"""At the door: check-in on a phone, the big screen and the poster's link."""
